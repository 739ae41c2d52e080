import StoreHTTPClient
import Testing

@Suite struct SignatureTests {
    @Test func `a signature is the HMAC of the body, as in RFC 4231`() {
        let body = Array("what do ya want for nothing?".utf8)
        let request = HTTPRequest(.post, "http://hooks.example/", body: body)
        let signed = request.signed(with: "Jefe")
        #expect(
            signed.headers["x-signature-256"]
                == "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        #expect(signed.body == body && signed.headers.fields.count == 1)
        #expect(request.signed(with: "jefe") != signed)
        let other = request.signed(with: "Jefe", in: "X-Hub-Signature-256")
        #expect(other.headers["X-Hub-Signature-256"] == signed.headers["X-Signature-256"])
    }
}
