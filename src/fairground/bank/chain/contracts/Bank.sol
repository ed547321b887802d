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
/// another. Whatever was signed may be brought here by either of the two.
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
        Released,
        PlayerForfeited,
        CroupierForfeited
    }

    /// @notice How far a game is. `order` has bit i for the card at i; `hand` a byte for each card.
    struct Progress {
        Step step;
        Outcome outcome;
        uint48 deadline;
        uint8 order;
        uint40 hand;
    }

    /// @notice One game: the bet that it is played under, and how far it is.
    struct Game {
        bytes32 betHash;
        Progress progress;
    }

    /// @notice One participant. Locked money is in no account: it belongs to an open game.
    struct Account {
        uint128 available;
        uint64 openGames;
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
    event GameReleased(bytes32 indexed game);
    event PlayerForfeited(bytes32 indexed game, Step lastStep);
    event CroupierForfeited(bytes32 indexed game, uint256 penalty);

    // ------------------------------------------------------------------------------------ errors

    /// @notice The constructor was given a chip cost or a step time outside the limits.
    error BadTerms();
    /// @notice The caller is neither the Croupier nor the Player of this game.
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
    /// @notice A key cannot change while a game is open.
    error KeyFrozen(uint256 openGames);
    /// @notice `min` is above `max`.
    error BadRange();
    /// @notice The receiver refused the money.
    error WithdrawalFailed();
    /// @notice A hand is five different cards.
    error BadHand();

    // --------------------------------------------------------------------------------- constants

    uint256 public constant MIN_STEP_TIME = 1 minutes;
    uint256 public constant MAX_STEP_TIME = 30 days;
    uint256 public constant MAX_CHIP_COST = 2 ** 96;

    /// @notice What a Croupier pays who is silent on seed 1, in stakes: more than any hold that
    /// replaces a card can be worth (25 at the most), and no jackpot for whoever silences him.
    uint256 public constant SILENCE_PENALTY = 30;

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
    mapping(bytes32 key => Game) private games;
    mapping(address croupier => mapping(address player => uint256)) private nextGameIds;

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

    /// @notice Sets the caller's signing key for all further games. Refused while a game is open.
    /// @param key the address of the signing key
    /// @param proof the key's own signature over `PublicKey(owner, key)`: that the caller has it
    function submitPublicKey(address key, Signature calldata proof) external {
        Account storage account = accounts[msg.sender];
        if (account.openGames != 0) revert KeyFrozen(account.openGames);
        address owner = keyOwner[key];
        if (owner != address(0) && owner != msg.sender) revert KeyTaken(owner);
        _mustBeSigned(keccak256(abi.encode(KEY_TYPEHASH, msg.sender, key)), proof, key);
        keyOwner[key] = msg.sender;
        account.key = key;
        emit PublicKeySubmitted(msg.sender, key);
    }

    /// @notice Puts the money attached into the sender's account.
    function depositFunds() external payable {
        Account storage account = accounts[msg.sender];
        account.available = _small(account.available + msg.value);
        emit FundsDeposited(msg.sender, msg.value);
    }

    /// @notice Pays money that no game has locked out to its owner.
    /// @param amount how much, in wei
    function withdrawFunds(uint256 amount) external {
        _debit(accounts[msg.sender], msg.sender, amount);
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
        Game storage game = games[key];
        if (game.betHash != 0) {
            if (game.betHash != betHash) revert AlreadySubmitted();
            return;
        }
        if (terms.croupier == terms.player) revert SameParty();
        if (terms.bet < 1 || terms.bet > 10 || terms.level < 1 || terms.level > 5) revert BadBet();
        if (terms.chipCost != CHIP_COST) revert WrongChipCost();
        if (block.timestamp > terms.expiry) revert BetExpired();
        _mustDiffer(terms);
        uint256 next = nextGameIds[terms.croupier][terms.player];
        if (terms.gameId != next) revert WrongGameId(next);
        Account storage croupier = accounts[terms.croupier];
        Account storage player = accounts[terms.player];
        if (terms.croupierKey == address(0)) revert WrongKey();
        if (terms.croupierKey != croupier.key || terms.playerKey != player.key) revert WrongKey();
        _mustBeSigned(betHash, betSignature, terms.playerKey);

        nextGameIds[terms.croupier][terms.player] = next + 1;
        _lock(player, terms.player, _stake(terms));
        _lock(croupier, terms.croupier, _topPrize(terms));
        uint48 deadline = _deadline();
        game.betHash = betHash;
        game.progress = Progress(Step.BetSubmitted, Outcome.Open, deadline, 0, 0);
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
        (bytes32 key, Game storage game, ) = _find(terms);
        Progress memory now_ = game.progress;
        if (commitTo(signature) != _croupierCommitment(terms, seedId)) revert WrongSeed();
        if (!_awaits(terms, now_, seedId == 0 ? Step.BetSubmitted : Step.OrderSubmitted)) return;
        _mustBeSeed(terms, ROLE_CROUPIER, seedId, nonce, signature, terms.croupierKey);

        if (seedId == 0) {
            now_.step = Step.CroupierSeed0Submitted;
            _credit(accounts[terms.croupier], _stake(terms));
        } else {
            now_.step = Step.CroupierSeed1Submitted;
        }
        now_.deadline = _deadline();
        game.progress = now_;
        emit CroupierSeedSubmitted(key, seedId, nonce, signature, now_.deadline);
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
        (bytes32 key, Game storage game, bytes32 betHash) = _find(terms);
        Progress memory now_ = game.progress;
        if (
            commitTo(signature) != (seedId == 0 ? terms.playerCommitment0 : terms.playerCommitment1)
                || commitTo(croupierSignature) != _croupierCommitment(terms, seedId)
        ) revert WrongSeed();
        Step before = seedId == 0 ? Step.CroupierSeed0Submitted : Step.CroupierSeed1Submitted;
        if (!_awaits(terms, now_, before)) return;
        _mustBeSeed(terms, ROLE_PLAYER, seedId, nonce, signature, terms.playerKey);

        uint256 gameSeed = mixSeeds(betHash, seedId, croupierSignature, signature);
        if (seedId == 0) {
            now_.hand = uint40(Poker.deal(gameSeed));
            now_.step = Step.HandDealt;
        } else {
            now_.hand = uint40(Poker.replace(now_.hand, now_.order, gameSeed));
            now_.step = Step.HandFinal;
        }
        now_.deadline = _deadline();
        game.progress = now_;
        emit PlayerSeedSubmitted(key, seedId, nonce, signature, now_.hand, now_.deadline);
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
        (bytes32 key, Game storage game, bytes32 betHash) = _find(terms);
        Progress memory now_ = game.progress;
        uint8 order = 0;
        for (uint8 i = 0; i < Poker.HAND_SIZE; ++i) {
            if (replacementOrder[i] > 1) revert BadOrder();
            order |= replacementOrder[i] << i;
        }
        if (now_.step > Step.HandDealt && now_.order != order) revert AlreadySubmitted();
        if (!_awaits(terms, now_, Step.HandDealt)) return;
        bytes32 structHash = keccak256(
            abi.encode(
                ORDER_TYPEHASH,
                terms.croupier,
                terms.player,
                terms.gameId,
                betHash,
                keccak256(abi.encode(replacementOrder))
            )
        );
        _mustBeSigned(structHash, replacementSignature, terms.playerKey);

        now_.step = order == 0 ? Step.HandFinal : Step.OrderSubmitted;
        now_.deadline = _deadline();
        now_.order = order;
        game.progress = now_;
        emit ReplacementOrderSubmitted(key, order, now_.deadline);
    }

    /// @notice Settles a game whose final hand is known: pays the prize, releases the rest.
    /// @param terms the bet
    function submitGameResult(Bet calldata terms) external {
        (bytes32 key, Game storage game, ) = _find(terms);
        Progress memory now_ = game.progress;
        if (now_.outcome == Outcome.Settled && msg.sender == terms.croupier) return;
        if (now_.outcome != Outcome.Open) revert GameOver();
        if (now_.step != Step.HandFinal) revert WrongStep(now_.step);
        _settle(terms, key, game, now_.hand);
    }

    // ----------------------------------------------------------------------------------- silence

    /// @notice The Croupier took the bet and did not show seed 0 in time: everything is released,
    /// and nobody pays.
    /// @param terms the bet
    function complainNoFirstCroupierSeed(Bet calldata terms) external {
        (bytes32 key, Game storage game) = _overdue(terms, Step.BetSubmitted);
        _close(terms, game, Outcome.Released, _stake(terms), _topPrize(terms));
        emit GameReleased(key);
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
    /// settled as it is; otherwise he pays `SILENCE_PENALTY` stakes.
    /// @param terms the bet
    function complainNoSecondCroupierSeed(Bet calldata terms) external {
        (bytes32 key, Game storage game, ) = _find(terms);
        Progress memory now_ = game.progress;
        if (now_.outcome == Outcome.Open && now_.step == Step.HandFinal && now_.order == 0) {
            _settle(terms, key, game, now_.hand);
            return;
        }
        _mustBeOverdue(now_, Step.OrderSubmitted);
        uint256 penalty = SILENCE_PENALTY * _stake(terms);
        _close(terms, game, Outcome.CroupierForfeited, penalty, _topPrize(terms) - penalty);
        emit CroupierForfeited(key, penalty);
    }

    /// @notice The Player did not show seed 1 in time: the stake is lost.
    /// @param terms the bet
    function complainNoSecondPlayerSeed(Bet calldata terms) external {
        _forfeitPlayer(terms, Step.CroupierSeed1Submitted);
    }

    // ------------------------------------------------------------------------------------- views

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

    /// @notice A game, by its key.
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
        Game storage game = games[key];
        Progress memory now_ = game.progress;
        return (game.betHash, now_.step, now_.outcome, now_.deadline, now_.order, now_.hand);
    }

    /// @notice The number of the next game of these two, counted from 0.
    function getNextGameId(address croupier, address player) external view returns (uint256) {
        return nextGameIds[croupier][player];
    }

    /// @notice Under which key the game of these two with this number is kept.
    function gameKey(address croupier, address player, uint256 gameId)
        public
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(croupier, player, gameId));
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
        return uint256(keccak256(abi.encode(MIX_TAG, betHash, seedId, croupierSeed, playerSeed)));
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

    /// @dev The game of this very bet; only for its two parties.
    function _find(Bet calldata terms)
        private
        view
        returns (bytes32 key, Game storage game, bytes32 betHash)
    {
        if (msg.sender != terms.croupier && msg.sender != terms.player) revert NotAParty();
        betHash = hashBet(terms);
        key = gameKey(terms.croupier, terms.player, terms.gameId);
        game = games[key];
        if (game.betHash != betHash) revert UnknownBet();
    }

    /// @dev Whether the game awaits the step behind `before`. A step taken already: false for the
    /// Croupier, who may repeat what he sent; refused for everybody else.
    function _awaits(Bet calldata terms, Progress memory now_, Step before)
        private
        view
        returns (bool)
    {
        if (now_.step > before) {
            if (msg.sender != terms.croupier) revert AlreadySubmitted();
            return false;
        }
        if (now_.outcome != Outcome.Open) revert GameOver();
        if (now_.step != before) revert WrongStep(now_.step);
        if (block.timestamp > now_.deadline) revert TooLate(now_.deadline);
        return true;
    }

    function _overdue(Bet calldata terms, Step last)
        private
        view
        returns (bytes32 key, Game storage game)
    {
        (key, game, ) = _find(terms);
        _mustBeOverdue(game.progress, last);
    }

    function _mustBeOverdue(Progress memory now_, Step last) private view {
        if (now_.outcome != Outcome.Open) revert GameOver();
        if (now_.step != last) revert WrongStep(now_.step);
        if (block.timestamp <= now_.deadline) revert TooEarly(now_.deadline);
    }

    function _forfeitPlayer(Bet calldata terms, Step last) private {
        (bytes32 key, Game storage game) = _overdue(terms, last);
        _close(terms, game, Outcome.PlayerForfeited, 0, _topPrize(terms));
        emit PlayerForfeited(key, last);
    }

    function _settle(Bet calldata terms, bytes32 key, Game storage game, uint40 hand) private {
        uint8 rank = Poker.rank(hand);
        uint256 prize = terms.bet * Poker.prize(terms.level, rank) * terms.chipCost;
        _close(terms, game, Outcome.Settled, prize, _topPrize(terms) - prize);
        emit GameSettled(key, hand, rank, prize);
    }

    /// @dev Ends a game, and gives what it had locked to the two parties.
    function _close(
        Bet calldata terms,
        Game storage game,
        Outcome outcome,
        uint256 toPlayer,
        uint256 toCroupier
    ) private {
        game.progress.outcome = outcome;
        _unlock(accounts[terms.player], toPlayer);
        _unlock(accounts[terms.croupier], toCroupier);
    }

    function _lock(Account storage account, address owner, uint256 amount) private {
        _debit(account, owner, amount);
        account.openGames += 1;
    }

    function _unlock(Account storage account, uint256 amount) private {
        _credit(account, amount);
        account.openGames -= 1;
    }

    function _debit(Account storage account, address owner, uint256 amount) private {
        uint256 available = account.available;
        if (available < amount) revert InsufficientFunds(owner, available, amount);
        account.available = _small(available - amount);
    }

    function _credit(Account storage account, uint256 amount) private {
        account.available = _small(account.available + amount);
    }

    /// @dev No chain has 2^128 wei; if one had, the call would fail rather than lose money.
    function _small(uint256 amount) private pure returns (uint128) {
        assert(amount <= type(uint128).max);
        return uint128(amount);
    }

    function _stake(Bet calldata terms) private pure returns (uint256) {
        return uint256(terms.bet) * terms.level * terms.chipCost;
    }

    function _topPrize(Bet calldata terms) private pure returns (uint256) {
        return terms.bet * Poker.prize(terms.level, Poker.ROYAL_FLUSH) * terms.chipCost;
    }

    function _deadline() private view returns (uint48) {
        return uint48(block.timestamp + STEP_TIME);
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
        bytes32 structHash = keccak256(
            abi.encode(SEED_TYPEHASH, terms.croupier, terms.player, role, terms.gameId, seedId, nonce)
        );
        _mustBeSigned(structHash, signature, key);
    }

    /// @dev The domain is computed afresh: after a fork of the chain, messages of one side must
    /// not count on the other.
    function _mustBeSigned(bytes32 structHash, Signature calldata signature, address key) private view {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this))
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, structHash));
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
