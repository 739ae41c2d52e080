import StoreHTTPTransport

/// The header fields about one share (draft-ietf-httpapi-ratelimit-headers).
struct RateFields: Sendable {
    /// `"requests";q=100;w=60`, which is always the same.
    private let policy: HTTPFields
    private let name: String

    init(_ name: String, _ limit: RateLimit) {
        self.name = name
        let text = "\"\(name)\";q=\(limit.count);w=\(limit.seconds)"
        policy = HTTPFields([("RateLimit-Policy", text)])
    }

    /// Adds both fields; no text is made of the numbers.
    func add(_ share: RateShare, to fields: inout HTTPFields) {
        fields.append(policy)
        fields.append("RateLimit") { share.write(to: &$0, named: name) }
    }
}

extension RateShare {
    /// Whole seconds, rounded up.
    static func seconds(_ nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }

    /// `"requests";r=50;t=30`: how many are left, and in how many seconds the share is whole again.
    fileprivate func write(to bytes: inout [UInt8], named name: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: "\";r=".utf8)
        Self.write(remaining, to: &bytes)
        bytes.append(contentsOf: ";t=".utf8)
        Self.write(Self.seconds(untilWhole), to: &bytes)
    }

    /// A number in decimal digits; no text is made of it.
    private static func write(_ number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
