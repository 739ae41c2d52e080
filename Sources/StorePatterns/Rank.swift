public import StoreCore

/// The place of an element in a list that clients reorder: a text between the texts of its
/// neighbours.
///
/// ```swift
/// case .moved(let card, let above, let below):
///     state.cards[card]?.rank = try Rank.between(state.cards[above]?.rank,
///     state.cards[below]?.rank)
/// ```
///
/// An element that moves gets a new rank, and all other elements keep their ranks. Ranks are
/// compared by their bytes, so each client sorts only by the text. There is always a rank between
/// two different ranks. On average, six insertions at the same position make the text one byte
/// longer. Appending 10,000 elements makes ranks of 4 bytes.
///
/// A rank has an integer part and a fraction. The first letter is the length of the integer part:
/// `a` stands for one digit, `b` for two, and so on. `Z` stands for one digit of a negative number,
/// `Y` for two. Digits are `0` to `9`, `A` to `Z` and `a` to `z`, in the order of their bytes.
public struct Rank: Codable, Hashable, Sendable, LosslessStringConvertible {
    /// The maximum size of a rank that a client may send, in bytes.
    public static let bytesMax = 4_096

    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
    )
    private static let valuesByDigit: [UInt8: Int] = Dictionary(
        uniqueKeysWithValues: digits.enumerated().map { ($1, $0) }
    )
    private static let base = digits.count
    /// The greatest number of digits of an integer part.
    private static let integerDigitsMax = 26

    /// The text of the rank.
    public let description: String

    /// The first rank of an empty list.
    public static let first = Rank(integer: [UInt8(ascii: "a"), UInt8(ascii: "0")], fraction: [])

    /// Reads the text of a rank; `nil` for a text of another form, or of more than ``bytesMax``
    /// bytes.
    public init?(_ description: String) {
        let bytes = Array(description.utf8)
        guard bytes.count <= Self.bytesMax, let head = bytes.first,
            let count = Self.digitCount(of: head), bytes.count > count,
            bytes.dropFirst().allSatisfy({ Self.valuesByDigit[$0] != nil }),
            bytes.count == count + 1 || bytes.last != UInt8(ascii: "0"),
            // No rank could come before the smallest integer part without a fraction.
            bytes.count > count + 1 || Self.decremented(bytes) != nil
        else { return nil }
        self.description = description
    }

    private init(integer: [UInt8], fraction: [Int]) {
        let bytes = integer + fraction.map { Self.digits[$0] }
        description = String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the text of a rank.
    ///
    /// - Throws: a `DecodingError` for a text of another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let rank = Rank(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "the text is no rank; allowed is a rank that the store has made"
            )
        }
        self = rank
    }

    /// Writes the text of the rank.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Returns a rank after all ranks up to `rank`. Without a rank, returns the first rank of an
    /// empty list.
    public static func after(_ rank: Rank?) -> Rank {
        guard let rank else { return first }
        if let next = incremented(rank.integerPart) { return Rank(integer: next, fraction: []) }
        return Rank(integer: rank.integerPart, fraction: fractionBetween(rank.fraction, nil))
    }

    /// Returns a rank before all ranks from `rank` on. Without a rank, returns the first rank of an
    /// empty list.
    public static func before(_ rank: Rank?) -> Rank {
        guard let rank else { return first }
        let integer = rank.integerPart
        guard rank.fraction.isEmpty else {
            // The smallest integer part alone is no rank, so the result then gets a smaller
            // fraction.
            let isSmallest = decremented(integer) == nil
            return Rank(
                integer: integer,
                fraction: isSmallest ? fractionBetween([], rank.fraction) : []
            )
        }
        // A rank with the smallest integer part has a fraction, so the function has returned above.
        guard let previous = decremented(integer) else { return rank }
        let isSmallest = decremented(previous) == nil
        return Rank(integer: previous, fraction: isSmallest ? fractionBetween([], nil) : [])
    }

    /// Returns a rank between two ranks. `nil` stands for the beginning or the end of the list.
    ///
    /// - Throws: `Refusal` if `lower` is not before `upper`.
    public static func between(_ lower: Rank?, _ upper: Rank?) throws(Refusal) -> Rank {
        guard let lower else { return before(upper) }
        guard let upper else { return after(lower) }
        guard lower < upper else {
            throw Refusal(reason: "The neighbours of the new place are in the wrong order.")
        }
        guard lower.integerPart != upper.integerPart else {
            let fraction = fractionBetween(lower.fraction, upper.fraction)
            return Rank(integer: lower.integerPart, fraction: fraction)
        }
        if let next = incremented(lower.integerPart) {
            let rank = Rank(integer: next, fraction: [])
            if rank < upper { return rank }
        }
        return Rank(integer: lower.integerPart, fraction: fractionBetween(lower.fraction, nil))
    }

    /// Returns ranks for several elements that are inserted together, in their order.
    ///
    /// - Throws: `Refusal` if `lower` is not before `upper`.
    public static func ranks(
        _ count: Int,
        between lower: Rank?,
        _ upper: Rank?
    ) throws(Refusal) -> [Rank] {
        guard count > 0 else { return [] }
        guard let upper else {
            var ranks = [after(lower)]
            while ranks.count < count { ranks.append(after(ranks.last)) }
            return ranks
        }
        let middle = try between(lower, upper)
        let before = try ranks((count - 1) / 2, between: lower, middle)
        let behind = try ranks(count - 1 - (count - 1) / 2, between: middle, upper)
        return before + [middle] + behind
    }
}

extension Rank: Comparable {
    /// Returns true if the bytes of `a` come before the bytes of `b`.
    public static func < (a: Rank, b: Rank) -> Bool {
        a.description.utf8.lexicographicallyPrecedes(b.description.utf8)
    }
}

// The digits of ranks.

extension Rank {
    /// Returns the number of digits of the integer part with this first letter.
    private static func digitCount(of head: UInt8) -> Int? {
        switch head {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(head - UInt8(ascii: "a")) + 1
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(UInt8(ascii: "Z") - head) + 1
        default: nil
        }
    }

    /// The first letter and the digits of the integer part.
    private var integerPart: [UInt8] {
        let bytes = Array(description.utf8)
        return Array(bytes.prefix(1 + (bytes.first.flatMap(Self.digitCount) ?? 0)))
    }

    private var fraction: [Int] {
        description.utf8.dropFirst(integerPart.count).compactMap { Self.valuesByDigit[$0] }
    }

    /// Returns the next integer part; `nil` after the greatest.
    private static func incremented(_ integer: [UInt8]) -> [UInt8]? {
        var digits = integer.dropFirst().compactMap { valuesByDigit[$0] }
        for place in digits.indices.reversed() {
            digits[place] += 1
            guard digits[place] == base else {
                return [integer[0]] + digits.map { Self.digits[$0] }
            }
            digits[place] = 0
        }
        // Each digit was the greatest digit, so the next number has another length.
        switch integer[0] {
        case UInt8(ascii: "z"): return nil
        case UInt8(ascii: "Z"): return [UInt8(ascii: "a"), UInt8(ascii: "0")]
        default:
            let head = integer[0] + 1
            return [head] + Array(repeating: Self.digits[0], count: digitCount(of: head) ?? 1)
        }
    }

    /// Returns the previous integer part; `nil` before the smallest.
    private static func decremented(_ integer: [UInt8]) -> [UInt8]? {
        var digits = integer.dropFirst().compactMap { valuesByDigit[$0] }
        for place in digits.indices.reversed() {
            digits[place] -= 1
            guard digits[place] < 0 else { return [integer[0]] + digits.map { Self.digits[$0] } }
            digits[place] = base - 1
        }
        switch integer[0] {
        case UInt8(ascii: "A"): return nil
        case UInt8(ascii: "a"): return [UInt8(ascii: "Z"), Self.digits[base - 1]]
        default:
            let head = integer[0] - 1
            return [head]
                + Array(repeating: Self.digits[base - 1], count: digitCount(of: head) ?? 1)
        }
    }

    /// Returns a fraction between two fractions; `nil` stands for 1. The result does not end with
    /// the digit 0, so there is always a fraction below it.
    private static func fractionBetween(_ lower: [Int], _ upper: [Int]?) -> [Int] {
        var prefix: [Int] = []
        var (lower, upper) = (lower[...], upper?[...])
        while true {
            let (low, high) = (lower.first ?? 0, upper.map { $0.first ?? 0 } ?? base)
            if low == high {
                prefix.append(low)
                (lower, upper) = (lower.dropFirst(), upper?.dropFirst())
            } else if high - low > 1 {
                return prefix + [(low + high) / 2]
            } else if let upper, upper.count > 1 {
                return prefix + [high]
            } else {
                prefix.append(low)
                (lower, upper) = (lower.dropFirst(), nil)
            }
        }
    }
}
