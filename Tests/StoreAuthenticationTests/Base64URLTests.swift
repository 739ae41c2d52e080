import Testing

@testable import StoreAuthentication

@Suite struct Base64URLTests {
    @Test func `each run of bytes has one text, which is read back`() {
        for count in 0...64 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            let text = Base64URL.encode(bytes)
            #expect(!text.contains(UInt8(ascii: "=")))
            #expect(Base64URL.decode(text) == bytes)
        }
        // RFC 7515, appendix C.
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == Array("A-z_4ME".utf8))
    }

    @Test(arguments: [
        "A-z_4ME=", "A", "A-z_4M E", "A-z_4ME\n", "A+z/4ME", "A-z_4MF", "QQ==", "QR", "====", "é",
        "A-z_4ME.", "QUJD\n\n\n\n", "QU JD   ", " QUJD\t\r\n",
    ])
    func `a text of another form is refused`(_ text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
