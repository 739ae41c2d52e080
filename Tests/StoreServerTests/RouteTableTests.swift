import StoreHTTPTransport
import StoreTexts
import StoreWire
import Testing

@testable import StoreHTTP
@testable import StorePublishing
@testable import StoreServer

/// The parts of the route table: templates of paths, parameters, queries.
struct RouteTableTests {
    @Test(arguments: [
        ("after=1", ["after"], true), ("after=1&wait=2", ["after", "wait"], true),
        ("", [], true), ("version=1", ["after"], false), ("after=1&after=2", ["after"], false),
        ("after=%zz", ["after"], false), ("%61fter=1", ["after"], true),
    ])
    func `a query has known parameters, once each`(text: String, allowed: [String], good: Bool) {
        let parameters = allowed.map { Parameter.text($0, "") }
        #expect(((try? Query(text, allowed: parameters)) != nil) == good)
    }

    @Test(arguments: [
        ("0", false), ("1", true), ("9", true), ("10", false), ("", false), ("-1", false),
        ("+1", false), ("1.0", false), ("1e0", false), ("null", false), (" 1", false),
        ("\u{661}", false), ("99999999999999999999", false),
    ])
    func `a number has digits, and lies within its bounds`(text: String, good: Bool) throws {
        let number = Parameter.number("n", in: 1...9, "")
        #expect(number.allows(text) == good)
        let query = "n=" + PercentEncoding.encode(text)
        if good {
            #expect(try Query(query, allowed: [number])["n"] == text)
        } else {
            let problem = #expect(throws: Problem.self) {
                try Query(query, allowed: [number])
            }
            #expect(problem?.detail.contains("a whole number from 1 to 9") == true)
        }
    }

    @Test(
        arguments: [
            ("/a", "/a", []), ("/a", "/b", nil), ("/a", "/a/", nil), ("/a", "/", nil),
            ("/a/{b}", "/a/x", ["x"]), ("/a/{b}", "/a/", nil), ("/a/{b}", "/a", nil),
            ("/a/{b}", "/a/x/y", nil), ("/a/{b}/c", "/a/x/c", ["x"]), ("/a/{b}/c", "/a/x/d", nil),
            ("/a/{b}/{c}", "/a/x/y", ["x", "y"]), ("/a/{b...}", "/a/x/y", ["/x/y"]),
            ("/a/{b...}", "/a/", ["/"]), ("/a/{b...}", "/a", nil), ("/", "/", []),
            ("/a/{b}", "/a/%2F", ["%2F"]),
        ] as [(String, String, [String]?)]
    )
    func `a template has its paths, and no others`(
        template: String,
        path: String,
        values: [String]?
    ) {
        var found: [String] = []
        let isThere = Array(path.utf8).withUnsafeBytes {
            PathTemplate(template).match($0) {
                found.append(String(decoding: $0, as: UTF8.self))
                return true
            }
        }
        #expect((isThere ? found : nil) == values)
    }

    @Test(arguments: [
        ("/%73tate", "/state"), ("/%7E%7e", "/~~"), ("/%2f%2F", "/%2F%2F"), ("/%", "/%"),
        ("/%7", "/%7"), ("/%zz", "/%zz"), ("/%C3%a9", "/%C3%A9"), ("/a%2d", "/a-"),
        ("/%4%31", "/%4%31"), ("/%41%", "/%41%"),
    ])
    func `a path has one spelling`(path: String, normal: String) {
        let found = Array(path.utf8).withUnsafeBytes { PercentEncoding.normalized($0) }
        #expect(String(decoding: found, as: UTF8.self) == normal)
    }
}
