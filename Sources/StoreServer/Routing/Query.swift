import HTTPTransport
import Texts
import Wire

/// The parameters of a request target's query (`a=1&b=2`), percent-decoded.
///
/// Strict, because a parameter that is silently passed over makes an answer untrue: an unknown one,
/// one given twice and one that is badly encoded are all errors.
struct Query: Sendable, Equatable {
    /// The most parameters that are read.
    static let parametersMax = 32

    private var values: [(name: String, value: String)] = []

    /// Reads `text`, of which only the parameters in `allowed` may be there.
    init(_ text: String?, allowed: [String]) throws(QueryError) {
        guard let text, !text.isEmpty else { return }
        for part in text.split(separator: "&", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]),
                let value = pair.count > 1 ? Self.decoded(pair[1]) : ""
            else { throw QueryError("The query has a bad percent-encoding in '\(part)'.") }
            guard allowed.contains(exactly: name) else {
                let known =
                    allowed.isEmpty
                    ? "this resource takes none" : "allowed are \(allowed.joined(separator: ", "))"
                throw QueryError("There is no query parameter '\(name)' here; \(known).")
            }
            guard self[name] == nil else {
                throw QueryError("The query parameter '\(name)' is given twice; give it once.")
            }
            guard values.count < Self.parametersMax else {
                throw QueryError("The query has over \(Self.parametersMax) parameters.")
            }
            values.append((name, value))
        }
    }

    /// The value of a parameter, or `nil` where it is not given.
    subscript(name: String) -> String? {
        values.first { $0.name.isSame(as: name) }?.value
    }

    /// A parameter that is a whole number from 0 to `max`.
    func number(_ name: String, max: UInt64 = .max) throws(QueryError) -> UInt64? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ 48...57 ~= $0 }), let number = UInt64(text), number <= max
        else {
            throw QueryError("The query parameter '\(name)' must be a whole number, 0...\(max).")
        }
        return number
    }

    /// A parameter that is `true` or `false`; absent means `false`.
    func flag(_ name: String) throws(QueryError) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw QueryError("The query parameter '\(name)' must be true or false.")
        }
    }

    /// Whether a parameter that can be this word alone is given.
    func word(_ name: String, _ word: String) throws(QueryError) -> Bool {
        guard let text = self[name] else { return false }
        guard text.isSame(as: word) else {
            throw QueryError("The query parameter '\(name)' must be \(word), or left out.")
        }
        return true
    }

    static func == (a: Query, b: Query) -> Bool {
        a.values.elementsEqual(b.values) {
            $0.name.isSame(as: $1.name) && $0.value.isSame(as: $1.value)
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue),
                    let low = rest.popFirst().flatMap(hexValue)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}

extension Query {
    /// The query of a request, where a bad one is the client's fault.
    static func of(_ exchange: HTTPExchange, allowed: [String]) throws(Problem) -> Query {
        do {
            return try Query(exchange.query, allowed: allowed)
        } catch {
            throw .badRequest(error.detail)
        }
    }
}

/// A query that can't be honoured; the text says what was wrong and what is allowed.
struct QueryError: Error, Equatable {
    let detail: String

    init(_ detail: String) {
        self.detail = detail
    }
}
