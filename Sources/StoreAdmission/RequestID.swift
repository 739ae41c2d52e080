import Synchronization

/// The id of a request, with which an operator finds a problem in the log. An id has 15 bytes, so a
/// `String` holds the id without an allocation.
package struct RequestID: Sendable {
    /// The number of random digits at the beginning.
    fileprivate static let randomDigitCount = 4
    /// The number of digits that the request's number takes; each digit has 5 bits.
    fileprivate static let numberDigitCount = 10

    /// Returns the digit of a value below 32: `0` to `9`, then `a` to `v`.
    @inline(__always)
    fileprivate static func digit(_ value: UInt8) -> UInt8 {
        value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
    }

    /// The random digits, one in each byte.
    fileprivate let randomDigits: UInt64
    /// The number of the request, enciphered: 50 bits.
    fileprivate let encipheredNumber: UInt64

    /// The digits of the server, a hyphen, and the digits of the request: `k3j9-0t5mq28hvc`.
    package var text: String {
        let count = Self.randomDigitCount + 1 + Self.numberDigitCount
        return String(unsafeUninitializedCapacity: count) { bytes in
            for place in 0..<Self.randomDigitCount {
                bytes[place] = UInt8(truncatingIfNeeded: randomDigits >> UInt64(8 * place))
            }
            bytes[Self.randomDigitCount] = UInt8(ascii: "-")
            var rest = encipheredNumber
            for place in stride(from: count - 1, to: Self.randomDigitCount, by: -1) {
                bytes[place] = Self.digit(UInt8(truncatingIfNeeded: rest & 31))
                rest >>= 5
            }
            return count
        }
    }
}

/// The source of a server's request ids. An id has random digits of the server, and a growing
/// number that is enciphered with a key of the process. No two requests of the process have the
/// same id. A client can't derive the number of other clients' requests from the ids of its own
/// requests.
package final class RequestIDs: Sendable {
    private let randomDigits: UInt64
    private let cipher: NumberCipher
    private let issuedCount = Atomic<UInt64>(0)

    package init() {
        randomDigits = (0..<RequestID.randomDigitCount).reduce(0) { digits, _ in
            digits << 8 | UInt64(RequestID.digit(.random(in: 0..<32)))
        }
        var random = SystemRandomNumberGenerator()
        cipher = NumberCipher(using: &random)
    }

    /// Returns the id of the next request. Any thread may call this function.
    package func next() -> RequestID {
        let number = issuedCount.add(1, ordering: .relaxed).newValue
        return RequestID(randomDigits: randomDigits, encipheredNumber: cipher.encipher(number))
    }
}

/// Hides the order of numbers: a permutation of the numbers below 2^50. The method is a Feistel
/// network whose rounds multiply by secret numbers.
///
/// A call costs 40 instructions. The cipher is too weak for secrets: use it only to hide a count.
struct NumberCipher: Sendable {
    private typealias Round = (offset: UInt64, factor: UInt64)

    /// The number of bits in each half.
    private static let halfBits: UInt64 = 25
    private static let halfMask: UInt64 = 1 << halfBits - 1
    private let rounds: (Round, Round, Round, Round, Round, Round)

    init(using random: inout some RandomNumberGenerator) {
        func round() -> Round { (random.next(), random.next() | 1) }
        rounds = (round(), round(), round(), round(), round(), round())
    }

    /// Enciphers the lowest 50 bits of a number.
    func encipher(_ number: UInt64) -> UInt64 {
        var left = number >> Self.halfBits & Self.halfMask
        var right = number & Self.halfMask
        left ^= Self.mix(right, rounds.0)
        right ^= Self.mix(left, rounds.1)
        left ^= Self.mix(right, rounds.2)
        right ^= Self.mix(left, rounds.3)
        left ^= Self.mix(right, rounds.4)
        right ^= Self.mix(left, rounds.5)
        return left << Self.halfBits | right
    }

    /// Returns the highest bits of a round's product, because the highest bits depend on all bits
    /// of the half.
    private static func mix(_ half: UInt64, _ round: Round) -> UInt64 {
        let first = (half &+ round.offset) &* round.factor
        return ((first ^ (first >> 29)) &* round.factor) >> (64 - halfBits)
    }
}
