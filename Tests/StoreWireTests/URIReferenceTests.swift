import Testing

@testable import StoreWire

@Suite struct URIReferenceTests {
    @Test(arguments: [
        "/store-server", "store", "./a:b", "?x", "#y", "/a%20b", "//example.com", "urn:uuid:6e8b",
        "https://user:x@example.com:443/a/b?c=d/e?#f", "http://[::1]:80/", "http://[v1.x]/",
        "mailto:cncf-wg-serverless@lists.cncf.io", "a:", "/a//b", "x-y+z.1:q", "http://h:/",
    ])
    func `references of RFC 3986 are accepted`(text: String) {
        #expect(URIReference.isValid(text))
    }

    @Test(arguments: [
        "", " ", "a b", "/a b", "/ä", "%", "/%2", "/%zz", "1:x", "a:b:c d", ":x", "a_b:c", "a\u{0}",
        "http://[::1", "http://[::1]x/", "http://[]/", "http://a:b/", "/a#b#c", "<x>", "/\"",
        "/a|b",
        "http://a[b]/", "/[x]", "\n", "/\\", "a^b",
    ])
    func `a text that is no reference is refused`(text: String) {
        #expect(!URIReference.isValid(text))
    }
}
