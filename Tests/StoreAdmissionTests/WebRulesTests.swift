import StoreHTTPTransport
import Testing

@testable import StoreAdmission

/// The values of proxies' fields, and the texts that are origins and addresses (protocol 10.6,
/// 10.8).
@Suite struct WebRulesTests {
    private func forwarded(_ text: String) -> [String] {
        var found: [String] = []
        Array(text.utf8).withUnsafeBytes { bytes in
            ForwardedField.visitForwarded(bytes) { found.append($0?.description ?? "-") }
        }
        return found
    }

    private func list(_ text: String) -> [String] {
        var found: [String] = []
        Array(text.utf8).withUnsafeBytes { bytes in
            ForwardedField.visitXForwardedFor(bytes) { found.append($0?.description ?? "-") }
        }
        return found
    }

    @Test(arguments: [
        ("for=192.0.2.43", ["192.0.2.43"]),
        ("For=192.0.2.43;proto=https;by=203.0.113.43", ["192.0.2.43"]),
        ("proto=http; FOR = 1.2.3.4", ["-"]),
        ("for=\"[2001:db8:cafe::17]:4711\"", ["2001:db8:cafe::17"]),
        ("for=\"[2001:db8:cafe::17]\", for=1.2.3.4:80", ["2001:db8:cafe::17", "1.2.3.4"]),
        ("for=[2001:db8::1]", ["2001:db8::1"]),
        ("for=1.2.3.4,,for=5.6.7.8", ["1.2.3.4", "5.6.7.8"]),
        ("for=unknown, for=_hidden", ["-", "-"]),
        ("by=1.2.3.4", ["-"]),
        // A quoted string hides no later element.
        ("for=6.6.6.6;x=\"a,b;c\\\"\", for=1.2.3.4", ["6.6.6.6", "1.2.3.4"]),
        // A quotation mark that a client leaves open takes in the proxy's element, which then can't
        // be read.
        ("for=6.6.6.6;x=\", for=1.2.3.4", ["-"]),
        ("for=6.6.6.6;x=\", for=\"[2001:db8::1]:80\"", ["-"]),
        ("for=6.6.6.6;for=7.7.7.7", ["-"]),
        ("for=6.6.6.6;x=\"\\", ["-"]),
        ("for=", ["-"]), ("for", ["-"]), ("=1.2.3.4", ["-"]), ("for=\"1.2.3.4", ["-"]),
        ("for=1.2.3.4 x", ["-"]), ("", []),
    ])
    func `Forwarded is read by RFC 7239`(field: String, expected: [String]) {
        #expect(forwarded(field) == expected)
    }

    @Test(arguments: [
        ("1.2.3.4", ["1.2.3.4"]), (" 1.2.3.4 ,\t::1", ["1.2.3.4", "::1"]),
        ("1.2.3.4:80, [::1]:80, [::1]", ["1.2.3.4", "::1", "::1"]),
        ("::ffff:1.2.3.4", ["1.2.3.4"]),
        ("unknown", ["-"]), ("", ["-"]), ("1.2.3.4,", ["1.2.3.4", "-"]), ("1.2.3", ["-"]),
        ("[::1", ["-"]), ("[::1]x", ["-"]), ("1.2.3.4:", ["-"]), ("1.2.3.4:123456", ["-"]),
        ("fe80::1%eth0", ["-"]), ("01.2.3.4", ["-"]), ("localhost", ["-"]),
        (String(repeating: "1", count: 300), ["-"]),
    ])
    func `X-Forwarded-For is a list of addresses`(field: String, expected: [String]) {
        #expect(list(field) == expected)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("10.0.0.0/8", "::ffff:a00:1", true), ("0.0.0.0/0", "9.9.9.9", true),
        ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1", "2001:db8::2", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7/31", "192.0.2.6", true),
        ("192.0.2.7/31", "192.0.2.8", false), ("2001:db8:0:0:8000::/65", "2001:db8::", false),
    ])
    func `a range has the addresses that begin with its bits`(
        range: String,
        address: String,
        isIn: Bool
    ) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10/8", "::/129", "::1/"])
    func `a text that is no range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        "https://app.example", "http://localhost:5173", "http://[::1]:8080", "https://a.b:80",
        "chrome-extension://abcdef", "http://127.0.0.1",
    ])
    func `an origin has the form that browsers write`(text: String) {
        #expect(OriginRule.isOrigin(text))
    }

    @Test(arguments: [
        "*", "null", "", "app.example", "https://app.example/", "https://app.example/x",
        "https://App.example", "HTTPS://app.example", "https://app.example:443",
        "http://app.example:80", "https://app.example:", "https://app.example:0443",
        "https://app.example:99999", "https://u@app.example", "https://*.example", "https://",
        "://a", "https://a b", "https://a\nb", "https://2001:db8::1", "https://a?x", "https://a#x",
        "https://a,https://b",
    ])
    func `a text that no browser writes is no origin`(text: String) {
        #expect(!OriginRule.isOrigin(text))
    }
}
