import StoreHTTPTransport

/// The header fields about one share (draft-ietf-httpapi-ratelimit-headers).
struct RateFields: Sendable {
    /// The `RateLimit-Policy` field, which is the same in all answers: `"requests";q=100;w=60`.
    private let policy: HTTPFields
    private let name: String

    init(_ name: String, _ limit: RateLimit) {
        self.name = name
        let text = "\"\(name)\";q=\(limit.count);w=\(limit.seconds)"
        policy = HTTPFields([("RateLimit-Policy", text)])
    }

    /// Adds both fields. The digits are written directly, without an allocated `String`.
    func add(_ share: RateShare, to fields: inout HTTPFields) {
        fields.append(policy)
        fields.append("RateLimit") { share.write(to: &$0, named: name) }
    }
}

extension RateShare {
    /// Converts nanoseconds to whole seconds, rounded up.
    static func seconds(_ nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }

    /// Writes `"requests";r=50;t=30`: the number that is left, and the seconds until the share is
    /// whole again.
    fileprivate func write(to bytes: inout [UInt8], named name: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: "\";r=".utf8)
        Self.write(remaining, to: &bytes)
        bytes.append(contentsOf: ";t=".utf8)
        Self.write(Self.seconds(untilWhole), to: &bytes)
    }

    /// Writes a number in decimal digits, without an allocated `String`.
    private static func write(_ number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
