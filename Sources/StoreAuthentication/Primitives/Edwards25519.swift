/// The check that an Ed25519 key is a point of the curve, and that the point's order is not small
/// (RFC 8032 §5.1). GnuTLS does not make this check.
///
/// The values are public, so the time of a computation may depend on them.
enum Edwards25519 {
    /// The constant d of the curve's equation.
    private static let d = Field25519(
        0x75eb_4dca_1359_78a3,
        0x0070_0a4d_4141_d8ab,
        0x8cc7_4079_7779_e898,
        0x5203_6cee_2b6f_fe73
    )

    /// The y coordinates of the points of order 1, 2, 4 and 8. For a key at one of these points,
    /// anyone can make a signature without a secret. On average, the signature is valid for at
    /// least one text in eight.
    private static let smallOrderYs = [
        Field25519.one, .minusOne, .zero,
        Field25519(
            0xb027_b2c2_8f95_e826,
            0xf098_eff2_89f4_c345,
            0x3933_c6d3_05ac_dfd5,
            0x05fc_536d_8802_38b1
        ),
        Field25519(
            0x4fd8_4d3d_706a_17c7,
            0x0f67_100d_760b_3cba,
            0xc6cc_392c_fa53_202a,
            0x7a03_ac92_77fd_c74e
        ),
    ]

    /// Describes the weakness of a key of 32 bytes; `nil` if the key is a point of large order.
    static func weakness(of key: [UInt8]) -> String? {
        guard let y = Field25519(littleEndian: key) else {
            return "an Ed25519 key whose y is not below 2^255 - 19"
        }
        guard !smallOrderYs.contains(y) else {
            return
                "an Ed25519 key of small order, for which signatures can be made without a secret"
        }
        // On the curve, x² = u / v. The fraction u / v is a square exactly if the product u v is a
        // square.
        let (u, v) = (y * y - .one, d * y * y + .one)
        return (u * v).isSquare ? nil : "an Ed25519 key that is no point of the curve"
    }
}

/// A number modulo 2^255 - 19, always reduced.
struct Field25519: Equatable {
    /// Four limbs of 64 bits, the lowest first.
    private var limbs: [UInt64]

    static let zero = Field25519(0, 0, 0, 0)
    static let one = Field25519(1, 0, 0, 0)
    static let minusOne = Field25519(.max - 19, .max, .max, .max >> 1)

    /// Makes a number that is below 2^255 - 19.
    init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { limbs = [a, b, c, d] }

    /// Reads 32 bytes as a number, without the highest bit, which is the sign of x. Returns `nil`
    /// if the number is not below 2^255 - 19.
    init?(littleEndian bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        limbs = (0..<4).map { index in
            (0..<8).reduce(0) { $0 | UInt64(bytes[8 * index + $1]) << UInt64(8 * $1) }
        }
        limbs[3] &= .max >> 1
        guard isReduced else { return nil }
    }

    private var isReduced: Bool {
        limbs[0] < UInt64.max - 18 || limbs[1...] != [.max, .max, .max >> 1]
    }

    static func + (a: Field25519, b: Field25519) -> Field25519 {
        var sum = a.limbs + [0, 0, 0, 0]
        var carry: UInt64 = 0
        for (index, limb) in b.limbs.enumerated() {
            (sum[index], carry) = multiply(limb, 1, sum[index], carry)
        }
        return Field25519(reducing: sum)
    }

    static func - (a: Field25519, b: Field25519) -> Field25519 { a + minusOne * b }

    static func * (a: Field25519, b: Field25519) -> Field25519 {
        var product = [UInt64](repeating: 0, count: 8)
        for (i, x) in a.limbs.enumerated() {
            var carry: UInt64 = 0
            for (j, y) in b.limbs.enumerated() {
                (product[i + j], carry) = multiply(x, y, product[i + j], carry)
            }
            product[i + 4] = carry
        }
        return Field25519(reducing: product)
    }

    /// True if the number is a square. By Euler's criterion, its power with the exponent 2^254 - 10
    /// is then 0 or 1.
    var isSquare: Bool {
        var power = Field25519.one
        let exponent = [UInt64.max - 9, .max, .max, .max >> 2]
        for bit in stride(from: 253, through: 0, by: -1) {
            power = power * power
            if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { power = power * self }
        }
        return power == .one || power == .zero
    }

    /// Reduces a number of 512 bits, with 2^256 ≡ 38 and 2^255 ≡ 19.
    private init(reducing number: [UInt64]) {
        limbs = Array(number[..<4])
        var high: UInt64 = 0
        for index in 0..<4 {
            (limbs[index], high) = Self.multiply(number[index + 4], 38, limbs[index], high)
        }
        // Two passes, because the first addition may carry again.
        for _ in 0..<2 { high = add(high * 38) }
        for _ in 0..<2 {
            let top = limbs[3] >> 63
            limbs[3] &= .max >> 1
            _ = add(top * 19)
        }
        if !isReduced { limbs = [limbs[0] &- (UInt64.max - 18), 0, 0, 0] }
    }

    /// Adds a small number to the limbs, and returns the carry out of the highest limb.
    private mutating func add(_ number: UInt64) -> UInt64 {
        var carry = number
        for index in 0..<4 { (limbs[index], carry) = Self.multiply(limbs[index], 1, carry, 0) }
        return carry
    }

    /// Returns a b + c + carry, which always fits into 128 bits.
    private static func multiply(
        _ a: UInt64,
        _ b: UInt64,
        _ c: UInt64,
        _ carry: UInt64
    ) -> (low: UInt64, high: UInt64) {
        let product = UInt128(a) * UInt128(b) + UInt128(c) + UInt128(carry)
        return (UInt64(truncatingIfNeeded: product), UInt64(truncatingIfNeeded: product >> 64))
    }
}
