public import StoreCurl
import StoreDigest

extension HTTPRequest {
    /// Returns the request with a signature of its body. With the signature, a receiver that has
    /// the same secret can check the sender and the body.
    ///
    /// ```swift
    /// let request = try HTTPRequest.post(url, json: delivery).signed(with: secret.text)
    /// ```
    ///
    /// - Parameters:
    ///   - secret: the secret that the receiver has, too; at least 16 random bytes as text.
    ///   - header: the name of the header field. Its value is `sha256=` and the HMAC-SHA256 (RFC
    ///     2104) of the body in lower-case hexadecimal digits.
    /// - Returns: the request with this header field behind its other fields.
    public func signed(with secret: String, in header: String = "X-Signature-256") -> HTTPRequest {
        var request = self
        let code = HMAC.hexCode(of: body, key: Array(secret.utf8))
        request.headers.add(header, "sha256=" + code)
        return request
    }
}
