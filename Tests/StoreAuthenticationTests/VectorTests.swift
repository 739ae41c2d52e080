import Testing

@testable import StoreAuthentication

/// The examples of RFC 7515, appendix A.1 to A.3, and of RFC 8037, appendix A.4.
///
/// Their claims lack members that are required here, so the tests check the signature.
@Suite struct VectorTests {
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private func jwt(_ text: String) throws -> JWT {
        try Array(text.utf8).withUnsafeBytes { try JWT($0) }
    }

    private func decoded(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text.utf8))
    }

    private func check(_ key: IssuerKey, _ text: String) throws {
        #expect(key.hasSigned(try jwt(text)))
        // A changed bit of the signed text, and a changed bit of the signature.
        let dot = try #require(text.lastIndex(of: "."))
        for place in [text.index(before: dot), text.index(dot, offsetBy: 2)] {
            var changed = Array(text)
            let offset = text.distance(from: text.startIndex, to: place)
            changed[offset] = changed[offset] == "A" ? "E" : "A"
            guard let token = try? jwt(String(changed)) else { continue }
            #expect(!key.hasSigned(token))
        }
    }

    @Test func `RFC 7515 A 1, HS256`() throws {
        let secret = try decoded(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        )
        try check(
            IssuerKey(secret: secret, id: nil),
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + Self.claims
                + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
    }

    @Test func `RFC 7515 A 2, RS256`() throws {
        let modulus = try decoded(
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt"
                + "0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf6"
                + "3kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qC"
                + "o5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9g"
                + "b54h4FRWyuXpoQ"
        )
        try check(
            IssuerKey(.rsa(n: modulus, e: [1, 0, 1]), id: nil),
            "eyJhbGciOiJSUzI1NiJ9." + Self.claims
                + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5"
                + "YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5"
                + "h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtF"
                + "ZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp"
                + "0igcN_IoypGlUPQGe77Rw"
        )
    }

    @Test func `RFC 7515 A 3, ES256`() throws {
        let key = try PublicKey.p256(
            x: try decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
            y: try decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        )
        try check(
            IssuerKey(key, id: nil),
            "eyJhbGciOiJFUzI1NiJ9." + Self.claims
                + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg"
                + "6NU1Q"
        )
    }

    @Test func `RFC 8037 A 4, EdDSA`() throws {
        let key = try PublicKey.ed25519(decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        try check(
            IssuerKey(key, id: nil),
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
                + ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_Mu"
                + "M0KAg"
        )
    }
}
