// A contest player for JDK 17 or newer, in one file.
//
// java Bot.java CONTEST_WATCH_URI TEAM VERSION

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Bot {
    /** A game with more codes than this is played digit by digit, in little memory. */
    static final int LISTED = 100_000;

    /** What `play` says of a game that has ended before. */
    static final int OVER = -1;

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** GET, or POST if there is a body. */
    static String ask(String uri, String body) throws IOException, InterruptedException {
        return ask(uri, body, null);
    }

    /** The same with an Idempotency-Key. */
    static String ask(String uri, String body, String once)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(uri))
                .timeout(Duration.ofSeconds(30))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json");
        if (once != null) request.header("Idempotency-Key", once);
        if (body != null) request.POST(BodyPublishers.ofString(body));
        var answer = HTTP.send(request.build(), BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    /** The first group of a pattern: all the JSON that this bot needs to read. */
    static String find(String json, String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(json);
        if (!found.find()) throw new IOException("no " + pattern + " in " + json);
        return found.group(1);
    }

    static int number(String json, String name) throws IOException {
        return Integer.parseInt(find(json, "\"" + name + "\"\\s*:\\s*(\\d+)"));
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** All codes of so many digits, each below base. */
    static List<int[]> every(int base, int length) {
        List<int[]> codes = new ArrayList<>();
        codes.add(new int[0]);
        for (int i = 0; i < length; i++) {
            List<int[]> longer = new ArrayList<>();
            for (int[] code : codes) {
                for (int digit = 0; digit < base; digit++) {
                    int[] next = Arrays.copyOf(code, code.length + 1);
                    next[code.length] = digit;
                    longer.add(next);
                }
            }
            codes = longer;
        }
        return codes;
    }

    /** Whether the code would have earned this answer. */
    static boolean fits(int[] code, int[] guess, int full, int partial, int base) {
        int[] counts = new int[base];
        int same = 0, common = 0;
        for (int i = 0; i < code.length; i++) {
            if (code[i] == guess[i]) same++;
            counts[code[i]]++;
        }
        for (int digit : guess) if (counts[digit]-- > 0) common++;
        return same == full && common - same == partial;
    }

    /** How many places of a guess are right. */
    static int full(String oracle, int[] guess) throws IOException, InterruptedException {
        String told = ask(oracle, "{\"submission\": " + Arrays.toString(guess) + "}");
        return number(told, "full_match_count");
    }

    /** Where the codes are too many to be listed: change one digit at a time. */
    static int patiently(String oracle, int base, int length)
            throws IOException, InterruptedException {
        int[] guess = new int[length];
        int best = full(oracle, guess), steps = 1;
        for (int place = 0; place < length; place++) {
            for (int digit = 1; digit < base && best < length; digit++) {
                int[] tried = guess.clone();
                tried[place] = digit;
                int full = full(oracle, tried);
                steps++;
                if (full == best) continue;
                if (full > best) guess = tried;
                best = Math.max(best, full);
                break; // this place is settled: the new digit is right, or the old one was
            }
        }
        return steps;
    }

    /** Guess any code that fits all answers so far; how many guesses it took. */
    static int play(String oracle) throws IOException, InterruptedException {
        String game = ask(oracle, null); // the games of a contest may differ
        if (Pattern.compile("\"over\"\\s*:\\s*true").matcher(game).find()) return OVER;
        int base = number(game, "base"), length = number(game, "length");
        if (Math.pow(base, length) > LISTED) return patiently(oracle, base, length);
        List<int[]> codes = every(base, length);
        for (int steps = 1; !codes.isEmpty(); steps++) {
            int[] guess = codes.get(codes.size() / 2);
            String told = ask(oracle, "{\"submission\": " + Arrays.toString(guess) + "}");
            int full = number(told, "full_match_count");
            int partial = number(told, "partial_match_count");
            if (full == length) return steps;
            codes.removeIf(code -> !fits(code, guess, full, partial, base));
        }
        throw new IOException(oracle + " has contradicted itself");
    }

    /**
     * Enter, or find the entry again; the private file of the team keeps its two secrets.
     *
     * With ours, written before it is sent, a lost answer can be asked for again. The arena's is
     * the team's key: without it nobody can enter another version.
     */
    static String enter(String contest, String team, String version)
            throws IOException, InterruptedException {
        String id = contest.substring(contest.lastIndexOf('/') + 1);
        String hex = HexFormat.of().formatHex(team.getBytes(StandardCharsets.UTF_8));
        Path file = Path.of(id + "." + hex + ".secrets");
        if (!Files.exists(file)) {
            byte[] ours = new byte[16];
            new SecureRandom().nextBytes(ours);
            var mine = PosixFilePermissions.fromString("rw-------");
            Files.createFile(file, PosixFilePermissions.asFileAttribute(mine));
            Files.writeString(file, HexFormat.of().formatHex(ours) + "\n");
        }
        List<String> kept = Files.readAllLines(file);
        String key = kept.size() > 1 ? ", \"team_key\": " + quoted(kept.get(1)) : "";
        String entry = find(ask(contest, null), "\"entry\"\\s*:\\s*\"(http[^\"]*)\"");
        String entered = ask(entry, "{\"team_name\": " + quoted(team)
                + ", \"software_version\": " + quoted(version) + key + "}",
                key.isEmpty() ? kept.get(0) : null);
        if (key.isEmpty()) {
            String told = find(entered, "\"team_key\"\\s*:\\s*\"([^\"]*)\"");
            Files.writeString(file, told + "\n", StandardOpenOption.APPEND);
        }
        return entered;
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 3) {
            System.err.println("usage: java Bot.java CONTEST_WATCH_URI TEAM VERSION");
            System.exit(2);
        }
        try {
            String entered = enter(arguments[0], arguments[1], arguments[2]);
            String list = find(entered, "\"oracle_URIs\"\\s*:\\s*\\[([^\\]]*)\\]");
            Matcher uris = Pattern.compile("\"([^\"]*)\"").matcher(list);
            for (int game = 1; uris.find(); game++) {
                int steps = play(uris.group(1));
                String told = steps == OVER ? "over already" : steps + " guesses";
                System.out.println("game " + game + ": " + told);
            }
        } catch (IOException error) { // the arena explains what is wrong
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
