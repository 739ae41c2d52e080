/// Checks the points of Ed25519 keys (RFC 8032 §5.1), which GnuTLS does not check.
///
/// All values here are public, so the time of a computation may depend on them.
enum Edwards25519 {
    /// The constant d of the curve's equation.
    private static let d = Field25519(
        0x75eb_4dca_1359_78a3,
        0x0070_0a4d_4141_d8ab,
        0x8cc7_4079_7779_e898,
        0x5203_6cee_2b6f_fe73
    )

    /// The y coordinates of the points of order 1, 2, 4 and 8. A signature by such a key fits at
    /// least one text in eight, on average, and finding it needs no secret.
    private static let ofSmallOrder = [
        Field25519.one, .zero - .one, .zero,
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
        guard !ofSmallOrder.contains(y) else {
            return
                "an Ed25519 key of small order, for which signatures can be made without a secret"
        }
        // x² is u / v, which is a square exactly if u v is.
        let (u, v) = (y * y - .one, d * y * y + .one)
        return (u * v).isSquare ? nil : "an Ed25519 key that is no point of the curve"
    }
}
