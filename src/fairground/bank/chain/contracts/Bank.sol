// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The cards of the Blind Croupier: deal, replace, rank, prize
/// @notice A card is `suit * 13 + rank`: suits hearts, diamonds, clubs, spades; ranks 2 to ace.
/// Five cards travel in one number, a byte each, the first card in the lowest byte. A draw of `v`
/// takes the v-th, counted from 0, of the cards not seen yet, in the order of their numbers: that
/// is a Fisher-Yates shuffle of which only the cards needed are ever computed.
/// @dev `games/poker.py` and `bank/seeds.py` are the same in Python; tests compare them.
library Poker {
    uint256 internal constant HAND_SIZE = 5;
    uint256 internal constant DECK_SIZE = 52;

    uint8 internal constant NOTHING = 0;
    uint8 internal constant JACKS_OR_BETTER = 1;
    uint8 internal constant TWO_PAIR = 2;
    uint8 internal constant THREE_OF_A_KIND = 3;
    uint8 internal constant STRAIGHT = 4;
    uint8 internal constant FLUSH = 5;
    uint8 internal constant FULL_HOUSE = 6;
    uint8 internal constant FOUR_OF_A_KIND = 7;
    uint8 internal constant STRAIGHT_FLUSH = 8;
    uint8 internal constant ROYAL_FLUSH = 9;

    /// @dev The prize per chip and level, a byte for each hand from NOTHING up.
    uint256 private constant PAY = 0xfa_32_19_09_06_04_03_02_01_00;
    uint256 private constant TOP_PRIZE_AT_LEVEL_5 = 4000;

    bytes32 internal constant GENERATE_TAG = keccak256("fairground/croupier-generate/1");

    /// @dev The next state of the generator and a number in `0 .. n-1`, each equally likely, for
    /// n up to 2^32: a hash outside the last whole multiple of n is passed over.
    function below(uint256 seed, uint256 n) internal pure returns (uint256 next, uint256 value) {
        unchecked {
            uint256 limit = 2 ** 32 - (2 ** 32 % n);
            bytes32 tag = GENERATE_TAG;
            next = seed;
            do {
                assembly ("memory-safe") {
                    mstore(0x00, tag)
                    mstore(0x20, next)
                    next := keccak256(0x00, 0x40)
                }
                value = uint32(next);
            } while (value >= limit);
            value %= n;
        }
    }

    /// @dev Five cards for a game seed.
    function deal(uint256 seed) internal pure returns (uint256 hand) {
        unchecked {
            uint256 seen = type(uint256).max;
            for (uint256 i = 0; i < HAND_SIZE; ++i) {
                uint256 value;
                (seed, value) = below(seed, DECK_SIZE - i);
                (seen, value) = _take(seen, value);
                hand |= value << (8 * i);
            }
        }
    }

    /// @dev The hand after the cards of `order` (bit i: the card at i) are replaced, left to right.
    function replace(uint256 hand, uint256 order, uint256 seed) internal pure returns (uint256) {
        unchecked {
            uint256 seen = type(uint256).max;
            for (uint256 i = 0; i < HAND_SIZE; ++i) seen = _insert(seen, uint8(hand >> (8 * i)));
            uint256 left = DECK_SIZE - HAND_SIZE;
            for (uint256 i = 0; i < HAND_SIZE; ++i) {
                if ((order >> i) & 1 == 0) continue;
                uint256 value;
                (seed, value) = below(seed, left--);
                (seen, value) = _take(seen, value);
                hand = (hand & ~(uint256(0xff) << (8 * i))) | (value << (8 * i));
            }
            return hand;
        }
    }

    /// @dev The v-th unseen card. `seen` has a byte for each card, ascending, and 0xff behind.
    function _take(uint256 seen, uint256 v) private pure returns (uint256, uint256) {
        unchecked {
            uint256 at = 0;
            while (v >= uint8(seen >> at)) {
                ++v;
                at += 8;
            }
            return (_put(seen, v, at), v);
        }
    }

    function _insert(uint256 seen, uint256 card) private pure returns (uint256) {
        unchecked {
            uint256 at = 0;
            while (card > uint8(seen >> at)) at += 8;
            return _put(seen, card, at);
        }
    }

    function _put(uint256 seen, uint256 card, uint256 at) private pure returns (uint256) {
        unchecked {
            uint256 lower = (1 << at) - 1;
            return (seen & lower) | (card << at) | ((seen & ~lower) << 8);
        }
    }

    /// @dev What five different cards are worth. Counting pairs of equal ranks tells all but
    /// straights and flushes: 1 pair, 2 two pair, 3 three, 4 full house, 6 four of a kind.
    function rank(uint256 hand) internal pure returns (uint8) {
        unchecked {
            uint256 counts = 0; // a nibble for each rank
            uint256 ranks = 0; // a bit for each rank
            uint256 suits = 0; // a bit for each suit
            uint256 pairs = 0;
            for (uint256 i = 0; i < HAND_SIZE; ++i) {
                uint256 card = uint8(hand >> (8 * i));
                uint256 r = card % 13;
                suits |= 1 << (card / 13);
                ranks |= 1 << r;
                pairs += (counts >> (4 * r)) & 0xf;
                counts += 1 << (4 * r);
            }
            if (pairs == 0) {
                bool flush = suits & (suits - 1) == 0;
                uint256 lowest = ranks & (0 - ranks);
                if (ranks == lowest * 31 || ranks == 0x100f) {
                    if (!flush) return STRAIGHT;
                    return ranks == 0x1f00 ? ROYAL_FLUSH : STRAIGHT_FLUSH;
                }
                return flush ? FLUSH : NOTHING;
            }
            // The nibble 2 of a pair; jacks are rank 9.
            if (pairs == 1) return (counts & 0x2222222222222) >> 36 == 0 ? NOTHING : JACKS_OR_BETTER;
            if (pairs == 2) return TWO_PAIR;
            if (pairs == 3) return THREE_OF_A_KIND;
            return pairs == 4 ? FULL_HOUSE : FOUR_OF_A_KIND;
        }
    }

    /// @dev The prize in chips for each chip of the bet.
    function prize(uint256 level, uint256 category) internal pure returns (uint256) {
        if (category == ROYAL_FLUSH && level == 5) return TOP_PRIZE_AT_LEVEL_5;
        return uint8(PAY >> (8 * category)) * level;
    }
}

/// @title What can still come of a hand: the best that an order leaves within reach, and the price
/// of not letting it come
/// @dev `games/poker.py` (`reach`, `silence`) is the same in Python; tests compare them.
library Prospect {
    /// @dev What a Croupier pays who is silent on seed 1, in stakes, a byte for each number of cards
    /// replaced: 2 cards 5, 3 cards 2, 4 and 5 cards 1. Each is more than any such draw is worth
    /// (4.31, 1.55, 0.50, 0.40). For one card the Bank computes what the draw is worth.
    uint256 private constant SILENCE = 0x01_01_02_05_00_00;

    /// @dev A hand that no draw from the kept cards can beat. Cards thrown away count as if they
    /// could come back, so it may be better than what is possible, and is never worse.
    function reach(uint256 hand, uint256 order) internal pure returns (uint8) {
        unchecked {
            if (order == 0) return Poker.rank(hand);
            uint256 counts = 0; // a nibble for each rank
            uint256 ranks = 0; // a bit for each rank
            uint256 suits = 0; // a bit for each suit
            uint256 pairs = 0;
            uint256 kept = 0;
            for (uint256 i = 0; i < Poker.HAND_SIZE; ++i) {
                if ((order >> i) & 1 == 1) continue;
                uint256 card = uint8(hand >> (8 * i));
                uint256 r = card % 13;
                suits |= 1 << (card / 13);
                ranks |= 1 << r;
                pairs += (counts >> (4 * r)) & 0xf;
                counts += 1 << (4 * r);
                ++kept;
            }
            if (pairs != 0) {
                if (pairs == 2) return Poker.FULL_HOUSE;
                return kept == 4 && pairs == 1 ? Poker.THREE_OF_A_KIND : Poker.FOUR_OF_A_KIND;
            }
            bool suited = suits & (suits - 1) == 0 || kept == 0;
            if (suited && ranks & 0xff == 0) return Poker.ROYAL_FLUSH;
            // A run of five holds all ranks: the lowest is at most four below the highest, or
            // there is nothing but an ace and 2 to 5.
            bool near = ranks < (ranks & (0 - ranks)) << 5 || ranks & 0x100f == ranks;
            if (suited && near) return Poker.STRAIGHT_FLUSH;
            if (kept <= 2) return Poker.FOUR_OF_A_KIND;
            if (suited) return Poker.FLUSH;
            if (near) return Poker.STRAIGHT;
            if (kept == 3) return Poker.THREE_OF_A_KIND;
            return ranks >> 9 == 0 ? Poker.NOTHING : Poker.JACKS_OR_BETTER;
        }
    }

    /// @dev What must stay locked once the order is known, in chips for each chip of the bet: the
    /// best prize within reach, and no less than silence costs.
    function locked(uint256 level, uint256 order, uint256 best) internal pure returns (uint256 chips) {
        unchecked {
            chips = Poker.prize(level, best);
            if (order == 0 || best == Poker.ROYAL_FLUSH) return chips;
            uint256 replaced = cards(order);
            if (replaced == 1) return chips + level;
            uint256 price = uint8(SILENCE >> (8 * replaced)) * level;
            if (chips < price) chips = price;
        }
    }

    /// @dev What silence on seed 1 costs, in chips. For one card: all that the draw is worth on
    /// average over the 47 cards that can come, rounded up, and a stake.
    function silence(uint256 bet, uint256 level, uint256 hand, uint256 order)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            uint256 replaced = cards(order);
            if (replaced != 1) return uint8(SILENCE >> (8 * replaced)) * bet * level;
            uint256 at = 0;
            while ((order >> at) & 1 == 0) ++at;
            uint256 dealt = 0;
            for (uint256 i = 0; i < Poker.HAND_SIZE; ++i) dealt |= 1 << uint8(hand >> (8 * i));
            hand &= ~(uint256(0xff) << (8 * at));
            uint256 sum = 0;
            for (uint256 card = 0; card < Poker.DECK_SIZE; ++card) {
                if ((dealt >> card) & 1 == 1) continue;
                sum += Poker.prize(level, Poker.rank(hand | (card << (8 * at))));
            }
            uint256 unseen = Poker.DECK_SIZE - Poker.HAND_SIZE;
            return (bet * sum + unseen - 1) / unseen + bet * level;
        }
    }

    /// @dev How many cards an order replaces.
    function cards(uint256 order) internal pure returns (uint256 n) {
        unchecked {
            for (; order != 0; order &= order - 1) ++n;
        }
    }
}

/// @title The Bank of the Blind Croupier
/// @notice Video poker (9/6 Jacks or Better) between a Player and a Croupier who trust only this
/// contract. Nobody owns it: there is no administrator, no upgrade, no pause and no fee. PLAY
/// MONEY AND TEST CHAINS; this is no licence to run a casino.
///
/// A game is a strict sequence; whoever owes a step and lets its deadline pass may be complained
/// about:
///
///     bet - Croupier's seed 0 - Player's seed 0 - order - Croupier's seed 1 - Player's seed 1 - result
///
/// The signed bet holds commitments to all four seeds, so nobody can choose a seed after seeing
/// another. Whatever was signed may be brought here by anyone, and anyone may complain of a
/// silence: neither can change what comes of it.
/// @dev docs/games/croupier.md lists each difference from the original description, and why.
contract Bank {
    // ------------------------------------------------------------------------------------- types

    /// @notice An ECDSA signature over secp256k1; `s` must be in the lower half.
    struct Signature {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice What the Player signs to begin a game: the parties, their keys, the terms, and a
    /// commitment to each of the four seeds.
    struct Bet {
        address croupier;
        address player;
        address croupierKey;
        address playerKey;
        uint256 gameId;
        uint8 bet;
        uint8 level;
        uint256 chipCost;
        bytes32 croupierCommitment0;
        bytes32 croupierCommitment1;
        bytes32 playerCommitment0;
        bytes32 playerCommitment1;
        uint256 expiry;
    }

    /// @notice What the Player signs to open a session: the parties, their keys, and what each puts
    /// in. Its number counts the sessions of these two.
    struct Session {
        address croupier;
        address player;
        address croupierKey;
        address playerKey;
        uint256 number;
        uint256 playerFunds;
        uint256 croupierFunds;
        uint256 expiry;
    }

    /// @notice How a session stands after some hands; counts when both have signed it. `head` is a
    /// hash of all these hands. A state that is `last` closes the session at once.
    struct State {
        bytes32 session;
        uint256 hands;
        uint256 playerShare;
        bytes32 head;
        bool last;
    }

    /// @notice How far a session is.
    enum Phase {
        None,
        Open,
        Claimed,
        Closed
    }

    /// @notice A session as it is kept, in one word: 160 bits of the hash of its terms.
    struct Kept {
        uint160 name;
        uint48 number;
        uint40 deadline;
        Phase phase;
    }

    /// @notice What was claimed of a session, in one word. It counts while the session is claimed.
    /// @dev Apart, because most sessions are closed without a claim, and a new word is dear.
    struct Claim {
        uint80 playerShare;
        uint80 croupierShare;
        uint96 hands;
    }

    /// @notice The last step that was accepted.
    enum Step {
        None,
        BetSubmitted,
        CroupierSeed0Submitted,
        HandDealt,
        OrderSubmitted,
        CroupierSeed1Submitted,
        HandFinal
    }

    /// @notice How a game ended.
    enum Outcome {
        Open,
        Settled,
        Reserved, // no game ends so; without this value the compiled code is 192 bytes longer
        PlayerForfeited,
        CroupierForfeited
    }

    /// @notice One game: the bet that it is played under, and how far it is. `order` has bit i for
    /// the card at i; `hand` a byte for each card; `reach` is the best that the order leaves within
    /// reach.
    /// @dev Kept in one word (`_packed`). Of the bet's hash it holds 160 bits, as many as an address.
    struct Game {
        uint160 betName;
        Step step;
        Outcome outcome;
        uint8 order;
        uint8 reach;
        uint40 deadline;
        uint40 hand;
    }

    /// @notice One participant, in one word. Locked money is in no account: it belongs to an open
    /// game.
    struct Account {
        uint80 available;
        uint16 openGames;
        address key;
    }

    // ------------------------------------------------------------------------------------ events

    event PublicKeySubmitted(address indexed owner, address indexed key);
    event FundsDeposited(address indexed owner, uint256 amount);
    event FundsWithdrawn(address indexed owner, uint256 amount);
    event BetSubmitted(
        bytes32 indexed game,
        address indexed croupier,
        address indexed player,
        uint256 gameId,
        bytes32 betHash,
        uint256 deadline
    );
    event CroupierSeedSubmitted(
        bytes32 indexed game, uint8 seedId, bytes32 nonce, Signature signature, uint256 deadline
    );
    event PlayerSeedSubmitted(
        bytes32 indexed game,
        uint8 seedId,
        bytes32 nonce,
        Signature signature,
        uint40 hand,
        uint256 deadline
    );
    event ReplacementOrderSubmitted(bytes32 indexed game, uint8 order, uint256 deadline);
    event GameSettled(bytes32 indexed game, uint40 hand, uint8 rank, uint256 prize);
    event PlayerForfeited(bytes32 indexed game, Step lastStep);
    event CroupierForfeited(bytes32 indexed game, uint256 penalty);
    event SessionOpened(
        bytes32 indexed session,
        address indexed croupier,
        address indexed player,
        uint256 number,
        uint256 playerFunds,
        uint256 croupierFunds
    );
    event SessionClaimed(bytes32 indexed session, uint256 hands, uint256 playerShare, uint256 deadline);
    event SessionClosed(
        bytes32 indexed session, uint256 hands, uint256 playerShare, uint256 croupierShare, bytes32 hand
    );

    // ------------------------------------------------------------------------------------ errors

    /// @notice The constructor was given a chip cost or a step time outside the limits.
    error BadTerms();
    /// @notice The first claim of a session is its parties' alone.
    error NotAParty();
    /// @notice Only the Croupier may bring a bet: it locks his money.
    error NotTheCroupier();
    /// @notice Croupier and Player are the same account.
    error SameParty();
    /// @notice The bet is not 1 to 10, or the level not 1 to 5.
    error BadBet();
    /// @notice The signed chip cost is not this Bank's.
    error WrongChipCost();
    /// @notice The bet's expiry has passed.
    error BetExpired();
    /// @notice The game number is not the next one of these two.
    error WrongGameId(uint256 next);
    /// @notice A key in the bet is not the registered one, or there is none.
    error WrongKey();
    /// @notice Two of the four commitments are equal.
    error EqualCommitments();
    /// @notice The account has less than the game must lock, or than is to be withdrawn.
    error InsufficientFunds(address owner, uint256 available, uint256 needed);
    /// @notice No such bet was accepted under this game number.
    error UnknownBet();
    /// @notice This step has been taken; only the Croupier may repeat it, and only identically.
    error AlreadySubmitted();
    /// @notice The game is over.
    error GameOver();
    /// @notice The game does not await this step now.
    error WrongStep(Step last);
    /// @notice The deadline of this step has passed.
    error TooLate(uint256 deadline);
    /// @notice The other party still has time.
    error TooEarly(uint256 deadline);
    /// @notice A seed number other than 0 and 1.
    error BadSeedId();
    /// @notice The signature is not the one that was committed to.
    error WrongSeed();
    /// @notice The signature is malleable or not by the key that must sign.
    error BadSignature();
    /// @notice A replacement order is five numbers, each 0 or 1.
    error BadOrder();
    /// @notice This key belongs to another account.
    error KeyTaken(address owner);
    /// @notice An account takes no deposit that makes it larger than `MAX_DEPOSIT`.
    error AccountFull(address owner);
    /// @notice These two have no such session, or it is not in the phase for this.
    error WrongSession(Phase phase);
    /// @notice The state is not newer than the one that is claimed.
    error OldState(uint256 hands);
    /// @notice The hand is not the one that follows the claimed state.
    error WrongHand(uint256 gameId);
    /// @notice A state gives the Player more than there is in the session.
    error BadShare();
    /// @notice The two orders are the same.
    error SameOrder();
    /// @notice `min` is above `max`.
    error BadRange();
    /// @notice The receiver refused the money.
    error WithdrawalFailed();
    /// @notice A hand is five different cards.
    error BadHand();

    // --------------------------------------------------------------------------------- constants

    uint256 public constant MIN_STEP_TIME = 1 minutes;
    uint256 public constant MAX_STEP_TIME = 30 days;
    uint256 public constant MAX_CHIP_COST = 2 ** 60;

    /// @notice The most that deposits can make of an account, in wei: half of what it can hold, so
    /// that nobody can make an account so full that a prize has no room in it.
    uint256 public constant MAX_DEPOSIT = 2 ** 79;

    uint8 private constant ROLE_PLAYER = 0;
    uint8 private constant ROLE_CROUPIER = 1;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Fairground Bank");
    bytes32 private constant VERSION_HASH = keccak256("1");
    bytes32 private constant KEY_TYPEHASH = keccak256("PublicKey(address owner,address key)");
    bytes32 private constant BET_TYPEHASH = keccak256(
        "Bet(address croupier,address player,address croupierKey,address playerKey,uint256 gameId,uint8 bet,uint8 level,uint256 chipCost,bytes32 croupierCommitment0,bytes32 croupierCommitment1,bytes32 playerCommitment0,bytes32 playerCommitment1,uint256 expiry)"
    );
    bytes32 private constant SEED_TYPEHASH = keccak256(
        "Seed(address croupier,address player,uint8 role,uint256 gameId,uint8 seedId,bytes32 nonce)"
    );
    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "ReplacementOrder(address croupier,address player,uint256 gameId,bytes32 betHash,uint8[5] replacementOrder)"
    );

    bytes32 private constant SESSION_TYPEHASH = keccak256(
        "Session(address croupier,address player,address croupierKey,address playerKey,uint256 number,uint256 playerFunds,uint256 croupierFunds,uint256 expiry)"
    );
    bytes32 private constant STATE_TYPEHASH = keccak256(
        "State(bytes32 session,uint256 hands,uint256 playerShare,bytes32 head,bool last)"
    );
    bytes32 private constant ACCEPTANCE_TYPEHASH =
        keccak256("OrderAccepted(bytes32 betHash,uint8 order)");

    /// @dev The number of a session's hand: this bit, the session's number, the hand's.
    uint256 private constant IN_SESSION = 1 << 255;

    bytes32 private constant COMMIT_TAG = keccak256("fairground/croupier-commitment/1");
    bytes32 private constant SEED_TAG = keccak256("fairground/croupier-seed/1");
    bytes32 private constant MIX_TAG = keccak256("fairground/croupier-mix/1");

    /// @dev Half the order of secp256k1: of the two signatures that are always both valid, only
    /// the one with the lower s counts.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    // ------------------------------------------------------------------------------------- state

    uint256 private immutable CHIP_COST;

    /// @notice How many seconds each step may take.
    uint256 public immutable STEP_TIME;

    mapping(address owner => Account) private accounts;
    mapping(bytes32 key => uint256) private games;
    mapping(address croupier => mapping(address player => Kept)) private sessions;
    mapping(address croupier => mapping(address player => Claim)) private claims;

    /// @notice The account that a signing key belongs to, for ever.
    mapping(address key => address owner) public keyOwner;

    /// @param chipCost what a chip costs, in wei
    /// @param stepTime how many seconds each step may take
    constructor(uint256 chipCost, uint256 stepTime) {
        if (chipCost == 0 || chipCost > MAX_CHIP_COST) revert BadTerms();
        if (stepTime < MIN_STEP_TIME || stepTime > MAX_STEP_TIME) revert BadTerms();
        CHIP_COST = chipCost;
        STEP_TIME = stepTime;
    }

    // ------------------------------------------------------------------------------ keys and money

    /// @notice Sets the caller's signing key for all further games. An open game goes on under the
    /// keys in its bet.
    /// @param key the address of the signing key
    /// @param proof the key's own signature over `PublicKey(owner, key)`: that the caller has it
    function submitPublicKey(address key, Signature calldata proof) external {
        address owner = keyOwner[key];
        if (owner != address(0) && owner != msg.sender) revert KeyTaken(owner);
        _mustBeSigned(keccak256(abi.encode(KEY_TYPEHASH, msg.sender, key)), proof, key);
        keyOwner[key] = msg.sender;
        accounts[msg.sender].key = key;
        emit PublicKeySubmitted(msg.sender, key);
    }

    /// @notice Puts the money attached into the sender's account.
    function depositFunds() external payable {
        Account storage account = accounts[msg.sender];
        uint256 available = account.available + msg.value;
        if (available > MAX_DEPOSIT) revert AccountFull(msg.sender);
        account.available = uint80(available);
        emit FundsDeposited(msg.sender, msg.value);
    }

    /// @notice Pays money that no game has locked out to its owner.
    /// @param amount how much, in wei
    function withdrawFunds(uint256 amount) external {
        Account storage account = accounts[msg.sender];
        uint256 available = account.available;
        if (available < amount) revert InsufficientFunds(msg.sender, available, amount);
        account.available = uint80(available - amount);
        emit FundsWithdrawn(msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert WithdrawalFailed();
    }

    // ---------------------------------------------------------------------------------- the game

    /// @notice Accepts the Player's signed bet: locks the stake, and the top prize.
    /// @dev Only the Croupier's call: it is his acceptance, and it is his money that is locked.
    /// @param terms the bet
    /// @param betSignature the Player's signature of it
    function submitBet(Bet calldata terms, Signature calldata betSignature) external {
        if (msg.sender != terms.croupier) revert NotTheCroupier();
        bytes32 betHash = hashBet(terms);
        bytes32 key = gameKey(terms.croupier, terms.player, terms.gameId);
        uint256 kept = games[key];
        if (kept != 0) {
            if (uint160(kept) != uint160(uint256(betHash))) revert AlreadySubmitted();
            return;
        }
        if (terms.croupier == terms.player) revert SameParty();
        if (terms.bet < 1 || terms.bet > 10 || terms.level < 1 || terms.level > 5) revert BadBet();
        if (terms.chipCost != CHIP_COST) revert WrongChipCost();
        if (block.timestamp > terms.expiry) revert BetExpired();
        _mustDiffer(terms);
        if (terms.gameId >= IN_SESSION) revert WrongGameId(getNextGameId(terms.croupier, terms.player));
        if (terms.gameId != 0 && games[gameKey(terms.croupier, terms.player, terms.gameId - 1)] == 0) {
            revert WrongGameId(getNextGameId(terms.croupier, terms.player));
        }
        Account memory croupier = accounts[terms.croupier];
        Account memory player = accounts[terms.player];
        if (terms.croupierKey == address(0)) revert WrongKey();
        if (terms.croupierKey != croupier.key || terms.playerKey != player.key) revert WrongKey();
        _mustBeSigned(betHash, betSignature, terms.playerKey);

        _lock(player, terms.player, _stake(terms));
        _lock(croupier, terms.croupier, _topPrize(terms));
        uint40 deadline = _deadline();
        games[key] = _packed(
            Game(uint160(uint256(betHash)), Step.BetSubmitted, Outcome.Open, 0, 0, deadline, 0)
        );
        emit BetSubmitted(key, terms.croupier, terms.player, terms.gameId, betHash, deadline);
    }

    /// @notice Accepts a seed of the Croupier: the signature that he committed to. With seed 0 the
    /// stake passes to him.
    /// @param terms the bet
    /// @param seedId 0 or 1
    /// @param nonce the random part of the signed message
    /// @param signature the Croupier's signature of `Seed(croupier, player, 1, gameId, seedId, nonce)`
    function submitCroupierSeedAsSignature(
        Bet calldata terms,
        uint8 seedId,
        bytes32 nonce,
        Signature calldata signature
    ) external {
        (bytes32 key, Game memory game, ) = _find(terms);
        if (seedId == 1 && terms.gameId >= IN_SESSION && msg.sender != terms.croupier) {
            revert NotTheCroupier();
        }
        _croupierSeed(terms, key, game, seedId, nonce, signature);
    }

    /// @notice The Croupier's seed 1 for a hand of a session, brought by anyone together with his
    /// signature of the order. Without that only he can bring it: he told the seed for one order,
    /// and it must not serve another.
    /// @param terms the bet
    /// @param nonce the random part of the signed message
    /// @param signature the Croupier's seed 1
    /// @param acceptance the Croupier's signature of `OrderAccepted(betHash, order)`
    function submitAcceptedSeed(
        Bet calldata terms,
        bytes32 nonce,
        Signature calldata signature,
        Signature calldata acceptance
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        bytes32 structHash = keccak256(abi.encode(ACCEPTANCE_TYPEHASH, betHash, game.order));
        _mustBeSigned(structHash, acceptance, terms.croupierKey);
        _croupierSeed(terms, key, game, 1, nonce, signature);
    }

    /// @dev A seed of the Croupier, taken.
    function _croupierSeed(
        Bet calldata terms,
        bytes32 key,
        Game memory game,
        uint8 seedId,
        bytes32 nonce,
        Signature calldata signature
    ) private {
        if (commitTo(signature) != _croupierCommitment(terms, seedId)) revert WrongSeed();
        if (!_awaits(terms, game, seedId == 0 ? Step.BetSubmitted : Step.OrderSubmitted)) return;
        _mustBeSeed(terms, ROLE_CROUPIER, seedId, nonce, signature, terms.croupierKey);

        if (seedId == 0) _credit(terms.croupier, _stake(terms));
        _goOn(key, game, seedId == 0 ? Step.CroupierSeed0Submitted : Step.CroupierSeed1Submitted);
        emit CroupierSeedSubmitted(key, seedId, nonce, signature, game.deadline);
    }

    /// @notice Accepts a seed of the Player, and deals: with seed 0 the hand, with seed 1 the
    /// replacements.
    /// @param terms the bet
    /// @param seedId 0 or 1
    /// @param nonce the random part of the signed message
    /// @param signature the Player's signature of `Seed(croupier, player, 0, gameId, seedId, nonce)`
    /// @param croupierSignature the Croupier's seed of the same number, which was accepted before
    function submitPlayerSeedAsSignature(
        Bet calldata terms,
        uint8 seedId,
        bytes32 nonce,
        Signature calldata signature,
        Signature calldata croupierSignature
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        if (_dealt(terms, key, game, betHash, seedId, nonce, signature, croupierSignature)) {
            games[key] = _packed(game);
        }
    }

    /// @notice Accepts the Player's order which cards to replace. If none, the hand is final.
    /// @param terms the bet
    /// @param replacementOrder five numbers: 1 replaces the card in this position, 0 keeps it
    /// @param replacementSignature the Player's signature of the order for this very bet
    function submitReplacementOrder(
        Bet calldata terms,
        uint8[5] calldata replacementOrder,
        Signature calldata replacementSignature
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        if (_ordered(terms, key, game, betHash, replacementOrder, replacementSignature)) {
            games[key] = _packed(game);
        }
    }

    /// @notice The Player's seed 0 and the order in one call: both as if they came one by one, or
    /// neither. If somebody brought the seed before, the order alone counts.
    /// @param terms the bet
    /// @param nonce the random part of the signed message of seed 0
    /// @param signature the Player's seed 0
    /// @param croupierSignature the Croupier's seed 0, which was accepted before
    /// @param replacementOrder five numbers: 1 replaces the card in this position, 0 keeps it
    /// @param replacementSignature the Player's signature of the order for this very bet
    function submitPlayerSeedAndOrder(
        Bet calldata terms,
        bytes32 nonce,
        Signature calldata signature,
        Signature calldata croupierSignature,
        uint8[5] calldata replacementOrder,
        Signature calldata replacementSignature
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        bool dealt = game.step < Step.HandDealt
            && _dealt(terms, key, game, betHash, 0, nonce, signature, croupierSignature);
        if (_ordered(terms, key, game, betHash, replacementOrder, replacementSignature) || dealt) {
            games[key] = _packed(game);
        }
    }

    /// @notice The Player's seed 1 and the result in one call: both as if they came one by one, or
    /// neither. If somebody brought the seed before, the result alone counts.
    /// @param terms the bet
    /// @param nonce the random part of the signed message of seed 1
    /// @param signature the Player's seed 1
    /// @param croupierSignature the Croupier's seed 1, which was accepted before
    function submitPlayerSeedAndResult(
        Bet calldata terms,
        bytes32 nonce,
        Signature calldata signature,
        Signature calldata croupierSignature
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        if (game.step < Step.HandFinal) {
            _dealt(terms, key, game, betHash, 1, nonce, signature, croupierSignature);
        }
        _result(terms, key, game);
    }

    /// @notice Settles a game whose final hand is known: pays the prize, releases the rest.
    /// @param terms the bet
    function submitGameResult(Bet calldata terms) external {
        (bytes32 key, Game memory game, ) = _find(terms);
        _result(terms, key, game);
    }

    // ----------------------------------------------------------------------------------- silence

    /// @notice The Croupier took the bet and did not show seed 0 in time: the Player has the stake
    /// back, and one more from him.
    /// @param terms the bet
    function complainNoFirstCroupierSeed(Bet calldata terms) external {
        (bytes32 key, Game memory game) = _overdue(terms, Step.BetSubmitted);
        uint256 stake = _stake(terms);
        _close(terms, key, game, Outcome.CroupierForfeited, 2 * stake, _topPrize(terms) - stake);
        emit CroupierForfeited(key, 2 * stake);
    }

    /// @notice The Player did not show seed 0 in time: the stake is lost.
    /// @param terms the bet
    function complainNoFirstPlayerSeed(Bet calldata terms) external {
        _forfeitPlayer(terms, Step.CroupierSeed0Submitted);
    }

    /// @notice The Player did not say in time which cards to replace: the stake is lost.
    /// @param terms the bet
    function complainNoReplacementOrder(Bet calldata terms) external {
        _forfeitPlayer(terms, Step.HandDealt);
    }

    /// @notice The Croupier did not show seed 1 in time. With nothing to replace the hand is
    /// settled as it is; otherwise he pays what `getSilencePrice` says.
    /// @param terms the bet
    function complainNoSecondCroupierSeed(Bet calldata terms) external {
        (bytes32 key, Game memory game, ) = _find(terms);
        if (game.outcome == Outcome.Open && game.step == Step.HandFinal && game.order == 0) {
            if (_mayBeDisputed(terms, game)) revert TooEarly(game.deadline);
            _settle(terms, key, game);
            return;
        }
        _mustBeOverdue(game, Step.OrderSubmitted);
        uint256 price = Prospect.silence(terms.bet, terms.level, game.hand, game.order) * terms.chipCost;
        _close(terms, key, game, Outcome.CroupierForfeited, price, _locked(terms, game) - price);
        emit CroupierForfeited(key, price);
    }

    /// @notice The Player did not show seed 1 in time: the stake is lost.
    /// @param terms the bet
    function complainNoSecondPlayerSeed(Bet calldata terms) external {
        _forfeitPlayer(terms, Step.CroupierSeed1Submitted);
    }

    // ---------------------------------------------------------------------------------- sessions

    /// @notice Opens a session: what both put in is locked until it is closed. Its hands are played
    /// between the two; this contract is only their judge.
    /// @dev Only the Croupier's call: it is his acceptance, and it locks his money.
    /// @param terms what the Player signed
    /// @param playerSignature the Player's signature of it
    function openSession(Session calldata terms, Signature calldata playerSignature) external {
        if (msg.sender != terms.croupier) revert NotTheCroupier();
        bytes32 hash = hashSession(terms);
        Kept memory kept = sessions[terms.croupier][terms.player];
        if (kept.phase == Phase.Open && kept.name == uint160(uint256(hash))) return;
        if (kept.phase == Phase.Open || kept.phase == Phase.Claimed || terms.number != kept.number) {
            revert WrongSession(kept.phase);
        }
        if (terms.croupier == terms.player) revert SameParty();
        if (block.timestamp > terms.expiry) revert BetExpired();
        Account memory croupier = accounts[terms.croupier];
        Account memory player = accounts[terms.player];
        if (terms.croupierKey == address(0)) revert WrongKey();
        if (terms.croupierKey != croupier.key || terms.playerKey != player.key) revert WrongKey();
        _mustBeSigned(hash, playerSignature, terms.playerKey);
        _lock(player, terms.player, terms.playerFunds);
        _lock(croupier, terms.croupier, terms.croupierFunds);
        kept.name = uint160(uint256(hash));
        kept.number += 1;
        kept.phase = Phase.Open;
        kept.deadline = 0;
        sessions[terms.croupier][terms.player] = kept;
        emit SessionOpened(
            hash, terms.croupier, terms.player, terms.number, terms.playerFunds, terms.croupierFunds
        );
    }

    /// @notice Closes a session by a last state that both have signed: pays at once.
    /// @param terms the session
    /// @param state its last state
    /// @param playerSignature the Player's signature of the state
    /// @param croupierSignature the Croupier's signature of the state
    function closeSession(
        Session calldata terms,
        State calldata state,
        Signature calldata playerSignature,
        Signature calldata croupierSignature
    ) external {
        (bytes32 hash, Kept memory kept) = _session(terms);
        if (!state.last) revert OldState(_claimed(terms, kept).hands);
        _mustBeState(terms, hash, state, playerSignature, croupierSignature);
        _endSession(terms, hash, kept, _claim(terms, state.hands, state.playerShare), 0);
    }

    /// @notice Claims that a session stands so; whoever knows better can say so for `STEP_TIME`, by
    /// a newer state. Without hands the session stands as it was opened, and nothing must be signed.
    /// @dev The first claim is the parties'; a newer state may be brought by anyone.
    /// @param terms the session
    /// @param state a state that both have signed, or any if its `hands` are 0
    /// @param playerSignature the Player's signature of the state
    /// @param croupierSignature the Croupier's signature of the state
    function claimSession(
        Session calldata terms,
        State calldata state,
        Signature calldata playerSignature,
        Signature calldata croupierSignature
    ) external {
        (bytes32 hash, Kept memory kept) = _session(terms);
        if (kept.phase == Phase.Open) {
            if (msg.sender != terms.croupier && msg.sender != terms.player) revert NotAParty();
        } else {
            if (block.timestamp > kept.deadline) revert TooLate(kept.deadline);
            uint96 hands = claims[terms.croupier][terms.player].hands;
            if (state.hands <= hands) revert OldState(hands);
        }
        uint256 playerShare = terms.playerFunds;
        if (state.hands != 0) {
            _mustBeState(terms, hash, state, playerSignature, croupierSignature);
            playerShare = state.playerShare;
        }
        kept.phase = Phase.Claimed;
        kept.deadline = _deadline();
        sessions[terms.croupier][terms.player] = kept;
        claims[terms.croupier][terms.player] = _claim(terms, state.hands, playerShare);
        emit SessionClaimed(hash, state.hands, playerShare, kept.deadline);
    }

    /// @notice Brings the hand that was open when a session was claimed: a bet that both have
    /// signed. It is played on here, as a game of its own; the session is closed.
    /// @dev From the claim's deadline on, for `STEP_TIME`: only then it is known which hand it is.
    /// @param terms the session
    /// @param bet the bet of the hand that follows the claimed state
    /// @param playerSignature the Player's signature of the bet
    /// @param croupierSignature the Croupier's signature of the bet
    function bringHand(
        Session calldata terms,
        Bet calldata bet,
        Signature calldata playerSignature,
        Signature calldata croupierSignature
    ) external {
        (bytes32 hash, Kept memory kept) = _session(terms);
        if (kept.phase != Phase.Claimed) revert WrongSession(kept.phase);
        if (block.timestamp <= kept.deadline) revert TooEarly(kept.deadline);
        uint256 end = kept.deadline + STEP_TIME;
        if (block.timestamp > end) revert TooLate(end);
        Claim memory claim = claims[terms.croupier][terms.player];
        uint256 gameId = IN_SESSION | (terms.number << 128) | claim.hands;
        if (
            bet.gameId != gameId || bet.croupier != terms.croupier || bet.player != terms.player
                || bet.croupierKey != terms.croupierKey || bet.playerKey != terms.playerKey
        ) revert WrongHand(gameId);
        if (bet.bet < 1 || bet.bet > 10 || bet.level < 1 || bet.level > 5) revert BadBet();
        if (bet.chipCost != CHIP_COST) revert WrongChipCost();
        _mustDiffer(bet);
        bytes32 betHash = hashBet(bet);
        _mustBeSigned(betHash, playerSignature, terms.playerKey);
        _mustBeSigned(betHash, croupierSignature, terms.croupierKey);
        uint256 stake = _stake(bet);
        uint256 top = _topPrize(bet);
        if (claim.playerShare < stake) revert InsufficientFunds(terms.player, claim.playerShare, stake);
        if (claim.croupierShare < top) revert InsufficientFunds(terms.croupier, claim.croupierShare, top);

        bytes32 key = gameKey(terms.croupier, terms.player, gameId);
        uint40 deadline = _deadline();
        games[key] = _packed(
            Game(uint160(uint256(betHash)), Step.BetSubmitted, Outcome.Open, 0, 0, deadline, 0)
        );
        accounts[terms.player].openGames += 1;
        accounts[terms.croupier].openGames += 1;
        claim.playerShare -= uint80(stake);
        claim.croupierShare -= uint80(top);
        _endSession(terms, hash, kept, claim, key);
        emit BetSubmitted(key, terms.croupier, terms.player, gameId, betHash, deadline);
    }

    /// @notice Closes a session whose claim stood, when no open hand was brought.
    /// @param terms the session
    function finishSession(Session calldata terms) external {
        (bytes32 hash, Kept memory kept) = _session(terms);
        if (kept.phase != Phase.Claimed) revert WrongSession(kept.phase);
        uint256 end = kept.deadline + STEP_TIME;
        if (block.timestamp <= end) revert TooEarly(end);
        _endSession(terms, hash, kept, claims[terms.croupier][terms.player], 0);
    }

    /// @notice The Player signed another order for the same hand of a session: the stake is lost.
    /// @param terms the bet
    /// @param replacementOrder an order other than the one that was brought
    /// @param replacementSignature the Player's signature of it
    function complainTwoOrders(
        Bet calldata terms,
        uint8[5] calldata replacementOrder,
        Signature calldata replacementSignature
    ) external {
        (bytes32 key, Game memory game, bytes32 betHash) = _find(terms);
        if (game.outcome != Outcome.Open) revert GameOver();
        bool ordered = game.step == Step.OrderSubmitted || (game.step == Step.HandFinal && game.order == 0);
        if (terms.gameId < IN_SESSION || !ordered) revert WrongStep(game.step);
        if (_order(replacementOrder) == game.order) revert SameOrder();
        _mustBeSigned(_hashOrder(terms, betHash, replacementOrder), replacementSignature, terms.playerKey);
        _close(terms, key, game, Outcome.PlayerForfeited, 0, _locked(terms, game));
        emit PlayerForfeited(key, Step.HandDealt);
    }

    /// @dev The session of these terms that is open or claimed.
    function _session(Session calldata terms) private view returns (bytes32 hash, Kept memory kept) {
        hash = hashSession(terms);
        kept = sessions[terms.croupier][terms.player];
        bool live = kept.phase == Phase.Open || kept.phase == Phase.Claimed;
        if (!live || kept.name != uint160(uint256(hash))) revert WrongSession(kept.phase);
    }

    function _mustBeState(
        Session calldata terms,
        bytes32 hash,
        State calldata state,
        Signature calldata playerSignature,
        Signature calldata croupierSignature
    ) private view {
        if (state.session != hash) revert BadSignature();
        bytes32 structHash = keccak256(
            abi.encode(STATE_TYPEHASH, hash, state.hands, state.playerShare, state.head, state.last)
        );
        _mustBeSigned(structHash, playerSignature, terms.playerKey);
        _mustBeSigned(structHash, croupierSignature, terms.croupierKey);
    }

    /// @dev What is claimed now; nothing of an earlier claim.
    function _claimed(Session calldata terms, Kept memory kept) private view returns (Claim memory claim) {
        if (kept.phase == Phase.Claimed) claim = claims[terms.croupier][terms.player];
    }

    /// @dev Who has what after so many hands.
    function _claim(Session calldata terms, uint256 hands, uint256 playerShare)
        private
        pure
        returns (Claim memory)
    {
        uint256 total = terms.playerFunds + terms.croupierFunds;
        if (playerShare > total || hands > type(uint96).max) revert BadShare();
        return Claim(_small(playerShare), _small(total - playerShare), uint96(hands));
    }

    /// @dev Pays the shares, and closes. `hand`: the game that took its part of them, if any.
    function _endSession(
        Session calldata terms,
        bytes32 hash,
        Kept memory kept,
        Claim memory claim,
        bytes32 hand
    ) private {
        kept.phase = Phase.Closed;
        sessions[terms.croupier][terms.player] = kept;
        _unlock(terms.player, claim.playerShare);
        _unlock(terms.croupier, claim.croupierShare);
        emit SessionClosed(hash, claim.hands, claim.playerShare, claim.croupierShare, hand);
    }

    // ------------------------------------------------------------------------------------- views

    /// @notice The session of these two: the last 20 bytes of its hash, the number that the next one
    /// must have, its phase, the deadline of its claim; hands and shares as they are claimed, or 0.
    function getSession(address croupier, address player)
        external
        view
        returns (
            bytes32 session,
            uint256 number,
            Phase phase,
            uint256 deadline,
            uint256 hands,
            uint256 playerShare,
            uint256 croupierShare
        )
    {
        Kept memory kept = sessions[croupier][player];
        Claim memory claim;
        if (kept.phase == Phase.Claimed) claim = claims[croupier][player];
        session = bytes32(uint256(kept.name));
        return (
            session,
            kept.number,
            kept.phase,
            kept.deadline,
            claim.hands,
            claim.playerShare,
            claim.croupierShare
        );
    }

    /// @notice The EIP-712 struct hash of a session.
    function hashSession(Session calldata terms) public pure returns (bytes32) {
        return keccak256(abi.encode(SESSION_TYPEHASH, terms));
    }

    /// @notice Returns what a chip costs.
    /// @return cost in wei; fixed for ever
    function getChipCost() external view returns (uint256 cost) {
        return CHIP_COST;
    }

    /// @notice Returns a randomly generated integer from `min` to `max` (inclusively), each equally
    /// likely, using the random `seed` given.
    /// @param seed random seed to use
    /// @param min a minimum value allowed (inclusively)
    /// @param max a maximum value allowed (inclusively)
    /// @return nextSeed seed to use for the next integer generated
    /// @return randomValue a random value between `min` and `max` (inclusively)
    function generateInt(uint256 seed, uint32 min, uint32 max)
        external
        pure
        returns (uint256 nextSeed, uint32 randomValue)
    {
        if (min > max) revert BadRange();
        uint256 value;
        (nextSeed, value) = Poker.below(seed, uint256(max) - min + 1);
        randomValue = uint32(value + min);
    }

    /// @notice An account: what can be withdrawn, how many games are open, the signing key.
    function getAccount(address owner)
        external
        view
        returns (uint256 available, uint256 openGames, address key)
    {
        Account storage account = accounts[owner];
        return (account.available, account.openGames, account.key);
    }

    /// @notice A game, by its key. Of the bet's hash there are the last 20 bytes.
    function getGame(bytes32 key)
        external
        view
        returns (
            bytes32 betHash,
            Step step,
            Outcome outcome,
            uint256 deadline,
            uint8 order,
            uint40 hand
        )
    {
        Game memory game = _unpacked(games[key]);
        betHash = bytes32(uint256(game.betName));
        return (betHash, game.step, game.outcome, game.deadline, game.order, game.hand);
    }

    /// @notice The number of the next game of these two, counted from 0.
    /// @dev A game can only follow the one before it, so the games that are there have the numbers
    /// below this one: it is found by halving, and need not be kept.
    function getNextGameId(address croupier, address player) public view returns (uint256) {
        uint256 above = 1; // the first power of two at which there is no game
        while (games[gameKey(croupier, player, above)] != 0) above *= 2;
        uint256 next = 0;
        for (; above != 0; above /= 2) {
            if (games[gameKey(croupier, player, next + above - 1)] != 0) next += above;
        }
        return next;
    }

    /// @notice Under which key the game of these two with this number is kept.
    function gameKey(address croupier, address player, uint256 gameId)
        public
        pure
        returns (bytes32)
    {
        bytes32 key;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, croupier)
            mstore(add(at, 0x20), player)
            mstore(add(at, 0x40), gameId)
            key := keccak256(at, 0x60)
        }
        return key;
    }

    /// @notice The EIP-712 struct hash of a bet.
    /// @dev keccak256(abi.encode(BET_TYPEHASH, terms)), copied in one go. A field with stray bits
    /// gives a hash that nobody signed.
    function hashBet(Bet calldata terms) public pure returns (bytes32 hash) {
        bytes32 typeHash = BET_TYPEHASH;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, typeHash)
            calldatacopy(add(at, 0x20), terms, 0x1a0)
            hash := keccak256(at, 0x1c0)
        }
    }

    /// @notice The commitment to a seed: over just the bytes that the seed is later made of.
    function commitTo(Signature calldata signature) public pure returns (bytes32) {
        return _tagged(COMMIT_TAG, signature);
    }

    /// @notice The game seed of two seeds of the same number.
    function mixSeeds(
        bytes32 betHash,
        uint8 seedId,
        Signature calldata croupierSignature,
        Signature calldata playerSignature
    ) public pure returns (uint256) {
        bytes32 croupierSeed = _tagged(SEED_TAG, croupierSignature);
        bytes32 playerSeed = _tagged(SEED_TAG, playerSignature);
        bytes32 tag = MIX_TAG;
        uint256 mixed;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, tag)
            mstore(add(at, 0x20), betHash)
            mstore(add(at, 0x40), seedId)
            mstore(add(at, 0x60), croupierSeed)
            mstore(add(at, 0x80), playerSeed)
            mixed := keccak256(at, 0xa0)
        }
        return mixed;
    }

    /// @notice The five cards that a game seed deals.
    function dealHand(uint256 gameSeed) external pure returns (uint40 hand) {
        return uint40(Poker.deal(gameSeed));
    }

    /// @notice The hand after its replacements.
    function replaceCards(uint40 hand, uint8 order, uint256 gameSeed) external pure returns (uint40) {
        _mustBeHand(hand);
        return uint40(Poker.replace(hand, order, gameSeed));
    }

    /// @notice What a hand is: 0 nothing, 1 jacks or better, ... 9 royal flush.
    function rankHand(uint40 hand) external pure returns (uint8) {
        _mustBeHand(hand);
        return Poker.rank(hand);
    }

    /// @notice The prize for each chip of the bet, in chips, at a level and for a rank of hand.
    function getPrize(uint8 level, uint8 rank) external pure returns (uint256) {
        if (level < 1 || level > 5 || rank > Poker.ROYAL_FLUSH) revert BadBet();
        return Poker.prize(level, rank);
    }

    /// @notice What a Croupier pays, in chips, who is silent on seed 1 when this hand was dealt and
    /// this order given (bit i: the card at i). 0 if nothing is replaced.
    function getSilencePrice(uint8 bet, uint8 level, uint40 hand, uint8 order)
        external
        pure
        returns (uint256)
    {
        if (bet < 1 || bet > 10 || level < 1 || level > 5) revert BadBet();
        if (order > 31) revert BadOrder();
        _mustBeHand(hand);
        return Prospect.silence(bet, level, hand, order);
    }

    /// @notice What stays locked for a bet of 1, in chips, when this hand was dealt and this order
    /// given, and the best rank that is still within reach.
    function getLock(uint8 level, uint40 hand, uint8 order)
        external
        pure
        returns (uint256 chips, uint8 reach)
    {
        if (level < 1 || level > 5) revert BadBet();
        if (order > 31) revert BadOrder();
        _mustBeHand(hand);
        reach = Prospect.reach(hand, order);
        chips = Prospect.locked(level, order, reach);
    }

    /// @notice EIP-5267: the domain that all messages are signed under.
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (0x0f, "Fairground Bank", "1", block.chainid, address(this), 0, new uint256[](0));
    }

    // ----------------------------------------------------------------------------------- private

    /// @dev The game of this very bet.
    function _find(Bet calldata terms)
        private
        view
        returns (bytes32 key, Game memory game, bytes32 betHash)
    {
        betHash = hashBet(terms);
        key = gameKey(terms.croupier, terms.player, terms.gameId);
        uint256 kept = games[key];
        if (kept == 0 || uint160(kept) != uint160(uint256(betHash))) revert UnknownBet();
        game = _unpacked(kept);
    }

    /// @dev Whether the game awaits the step behind `before`. A step taken already: false for the
    /// Croupier, who may repeat what he sent; refused for everybody else.
    function _awaits(Bet calldata terms, Game memory game, Step before) private view returns (bool) {
        if (game.step > before) {
            if (msg.sender != terms.croupier) revert AlreadySubmitted();
            return false;
        }
        if (game.outcome != Outcome.Open) revert GameOver();
        if (game.step != before) revert WrongStep(game.step);
        if (block.timestamp > game.deadline) revert TooLate(game.deadline);
        return true;
    }

    function _overdue(Bet calldata terms, Step last)
        private
        view
        returns (bytes32 key, Game memory game)
    {
        (key, game, ) = _find(terms);
        _mustBeOverdue(game, last);
    }

    function _mustBeOverdue(Game memory game, Step last) private view {
        if (game.outcome != Outcome.Open) revert GameOver();
        if (game.step != last) revert WrongStep(game.step);
        if (block.timestamp <= game.deadline) revert TooEarly(game.deadline);
    }

    /// @dev A seed of the Player, taken and dealt; the caller keeps the game. False: nothing new.
    function _dealt(
        Bet calldata terms,
        bytes32 key,
        Game memory game,
        bytes32 betHash,
        uint8 seedId,
        bytes32 nonce,
        Signature calldata signature,
        Signature calldata croupierSignature
    ) private returns (bool) {
        if (
            commitTo(signature) != (seedId == 0 ? terms.playerCommitment0 : terms.playerCommitment1)
                || commitTo(croupierSignature) != _croupierCommitment(terms, seedId)
        ) revert WrongSeed();
        Step before = seedId == 0 ? Step.CroupierSeed0Submitted : Step.CroupierSeed1Submitted;
        if (!_awaits(terms, game, before)) return false;
        _mustBeSeed(terms, ROLE_PLAYER, seedId, nonce, signature, terms.playerKey);

        uint256 gameSeed = mixSeeds(betHash, seedId, croupierSignature, signature);
        if (seedId == 0) {
            game.hand = uint40(Poker.deal(gameSeed));
            game.step = Step.HandDealt;
        } else {
            game.hand = uint40(Poker.replace(game.hand, game.order, gameSeed));
            game.step = Step.HandFinal;
        }
        game.deadline = _deadline();
        emit PlayerSeedSubmitted(key, seedId, nonce, signature, game.hand, game.deadline);
        return true;
    }

    /// @dev An order, taken: what is out of reach now is the Croupier's again. The caller keeps
    /// the game. False: nothing new.
    function _ordered(
        Bet calldata terms,
        bytes32 key,
        Game memory game,
        bytes32 betHash,
        uint8[5] calldata replacementOrder,
        Signature calldata replacementSignature
    ) private returns (bool) {
        uint8 order = _order(replacementOrder);
        if (game.step > Step.HandDealt && game.order != order) revert AlreadySubmitted();
        if (!_awaits(terms, game, Step.HandDealt)) return false;
        _mustBeSigned(_hashOrder(terms, betHash, replacementOrder), replacementSignature, terms.playerKey);

        game.step = order == 0 ? Step.HandFinal : Step.OrderSubmitted;
        game.deadline = _deadline();
        game.order = order;
        game.reach = Prospect.reach(game.hand, order);
        if (game.reach != Poker.ROYAL_FLUSH) {
            _credit(terms.croupier, _topPrize(terms) - _locked(terms, game));
        }
        emit ReplacementOrderSubmitted(key, order, game.deadline);
        return true;
    }

    /// @dev An order in bits: bit i for the card at i.
    function _order(uint8[5] calldata replacementOrder) private pure returns (uint8 order) {
        for (uint8 i = 0; i < Poker.HAND_SIZE; ++i) {
            if (replacementOrder[i] > 1) revert BadOrder();
            order |= replacementOrder[i] << i;
        }
    }

    function _hashOrder(Bet calldata terms, bytes32 betHash, uint8[5] calldata replacementOrder)
        private
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                ORDER_TYPEHASH,
                terms.croupier,
                terms.player,
                terms.gameId,
                betHash,
                keccak256(abi.encode(replacementOrder))
            )
        );
    }

    function _result(Bet calldata terms, bytes32 key, Game memory game) private {
        if (game.outcome == Outcome.Settled && msg.sender == terms.croupier) return;
        if (game.outcome != Outcome.Open) revert GameOver();
        if (game.step != Step.HandFinal) revert WrongStep(game.step);
        if (_mayBeDisputed(terms, game)) revert TooEarly(game.deadline);
        _settle(terms, key, game);
    }

    /// @dev In a session, an order to replace nothing settles only after a while, unless the
    /// Croupier himself says so: until then he can show another order for the same hand.
    function _mayBeDisputed(Bet calldata terms, Game memory game) private view returns (bool) {
        return terms.gameId >= IN_SESSION && game.order == 0 && msg.sender != terms.croupier
            && block.timestamp <= game.deadline;
    }

    function _forfeitPlayer(Bet calldata terms, Step last) private {
        (bytes32 key, Game memory game) = _overdue(terms, last);
        _close(terms, key, game, Outcome.PlayerForfeited, 0, _locked(terms, game));
        emit PlayerForfeited(key, last);
    }

    function _settle(Bet calldata terms, bytes32 key, Game memory game) private {
        uint8 rank = Poker.rank(game.hand);
        uint256 prize = terms.bet * Poker.prize(terms.level, rank) * terms.chipCost;
        _close(terms, key, game, Outcome.Settled, prize, _locked(terms, game) - prize);
        emit GameSettled(key, game.hand, rank, prize);
    }

    /// @dev Ends a game, and gives what it had locked to the two parties.
    function _close(
        Bet calldata terms,
        bytes32 key,
        Game memory game,
        Outcome outcome,
        uint256 toPlayer,
        uint256 toCroupier
    ) private {
        game.outcome = outcome;
        games[key] = _packed(game);
        _unlock(terms.player, toPlayer);
        _unlock(terms.croupier, toCroupier);
    }

    function _goOn(bytes32 key, Game memory game, Step step) private {
        game.step = step;
        game.deadline = _deadline();
        games[key] = _packed(game);
    }

    function _packed(Game memory game) private pure returns (uint256) {
        return uint256(game.betName) | (uint256(game.step) << 160) | (uint256(game.outcome) << 163)
            | (uint256(game.order) << 166) | (uint256(game.reach) << 171)
            | (uint256(game.deadline) << 175) | (uint256(game.hand) << 215);
    }

    function _unpacked(uint256 kept) private pure returns (Game memory game) {
        game.betName = uint160(kept);
        game.step = Step((kept >> 160) & 7);
        game.outcome = Outcome((kept >> 163) & 7);
        game.order = uint8((kept >> 166) & 31);
        game.reach = uint8((kept >> 171) & 15);
        game.deadline = uint40(kept >> 175);
        game.hand = uint40(kept >> 215);
    }

    /// @dev What a game has locked of the Croupier's money.
    function _locked(Bet calldata terms, Game memory game) private pure returns (uint256) {
        if (game.step < Step.OrderSubmitted) return _topPrize(terms);
        return terms.bet * Prospect.locked(terms.level, game.order, game.reach) * terms.chipCost;
    }

    function _lock(Account memory account, address owner, uint256 amount) private {
        if (account.available < amount) revert InsufficientFunds(owner, account.available, amount);
        account.available -= uint80(amount);
        account.openGames += 1;
        accounts[owner] = account;
    }

    function _unlock(address owner, uint256 amount) private {
        Account memory account = accounts[owner];
        account.available = _small(account.available + amount);
        account.openGames -= 1;
        accounts[owner] = account;
    }

    function _credit(address owner, uint256 amount) private {
        Account storage account = accounts[owner];
        account.available = _small(account.available + amount);
    }

    /// @dev No test chain has 2^80 wei, a million ether; if one had, the call would fail rather
    /// than lose money.
    function _small(uint256 amount) private pure returns (uint80) {
        assert(amount <= type(uint80).max);
        return uint80(amount);
    }

    function _stake(Bet calldata terms) private pure returns (uint256) {
        return uint256(terms.bet) * terms.level * terms.chipCost;
    }

    function _topPrize(Bet calldata terms) private pure returns (uint256) {
        return terms.bet * Poker.prize(terms.level, Poker.ROYAL_FLUSH) * terms.chipCost;
    }

    function _deadline() private view returns (uint40) {
        return uint40(block.timestamp + STEP_TIME);
    }

    function _croupierCommitment(Bet calldata terms, uint8 seedId) private pure returns (bytes32) {
        if (seedId > 1) revert BadSeedId();
        return seedId == 0 ? terms.croupierCommitment0 : terms.croupierCommitment1;
    }

    /// @dev keccak256(abi.encode(tag, signature)), copied in one go.
    function _tagged(bytes32 tag, Signature calldata signature) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, tag)
            calldatacopy(add(at, 0x20), signature, 0x60)
            hash := keccak256(at, 0x80)
        }
    }

    function _mustDiffer(Bet calldata terms) private pure {
        bytes32 a = terms.croupierCommitment0;
        bytes32 b = terms.croupierCommitment1;
        bytes32 c = terms.playerCommitment0;
        bytes32 d = terms.playerCommitment1;
        if (a == b || a == c || a == d || b == c || b == d || c == d) revert EqualCommitments();
    }

    function _mustBeSeed(
        Bet calldata terms,
        uint8 role,
        uint8 seedId,
        bytes32 nonce,
        Signature calldata signature,
        address key
    ) private view {
        bytes32 seedType = SEED_TYPEHASH;
        bytes32 structHash;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, seedType)
            calldatacopy(add(at, 0x20), terms, 0x40) // croupier, player
            mstore(add(at, 0x60), role)
            calldatacopy(add(at, 0x80), add(terms, 0x80), 0x20) // gameId
            mstore(add(at, 0xa0), seedId)
            mstore(add(at, 0xc0), nonce)
            structHash := keccak256(at, 0xe0)
        }
        _mustBeSigned(structHash, signature, key);
    }

    /// @dev The domain is computed afresh: after a fork of the chain, messages of one side must
    /// not count on the other.
    function _mustBeSigned(bytes32 structHash, Signature calldata signature, address key) private view {
        bytes32 domainType = DOMAIN_TYPEHASH;
        bytes32 name = NAME_HASH;
        bytes32 version = VERSION_HASH;
        bytes32 digest;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, domainType)
            mstore(add(at, 0x20), name)
            mstore(add(at, 0x40), version)
            mstore(add(at, 0x60), chainid())
            mstore(add(at, 0x80), address())
            mstore(add(at, 0x02), keccak256(at, 0xa0))
            mstore8(at, 0x19)
            mstore8(add(at, 0x01), 0x01)
            mstore(add(at, 0x22), structHash)
            digest := keccak256(at, 0x42)
        }
        address signer = ecrecover(digest, signature.v, signature.r, signature.s);
        if (uint256(signature.s) > HALF_ORDER || signer == address(0) || signer != key) {
            revert BadSignature();
        }
    }

    function _mustBeHand(uint40 hand) private pure {
        uint256 seen = 0;
        for (uint256 i = 0; i < Poker.HAND_SIZE; ++i) {
            uint256 card = uint8(hand >> (8 * i));
            if (card >= Poker.DECK_SIZE || (seen >> card) & 1 == 1) revert BadHand();
            seen |= 1 << card;
        }
    }
}
