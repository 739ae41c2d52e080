import Foundation
public import StoreJSON

// Adapters for states that contain values of Foundation's types. Only a program that imports this
// target links Foundation.

extension Array where Element == JSONAdapter {
    /// The adapters for Foundation's types. A `Date` becomes a text in ISO 8601 with whole seconds,
    /// and `Data` becomes a text in base64. A `URL` becomes its text, and a `Decimal` becomes a
    /// number. With the strategy `.iso8601` for dates, `Foundation.JSONEncoder` writes the same
    /// JSON.
    ///
    /// `UUID` needs no adapter, because its own `Codable` writes a text.
    public static var foundation: [JSONAdapter] {
        [
            JSONAdapter(
                text: Date.self,
                expected: "an ISO 8601 date such as \"2026-11-21T03:07:09Z\"",
                encode: { $0.formatted(.iso8601) },
                decode: { try? Date($0, strategy: .iso8601) }
            ),
            JSONAdapter(
                text: Data.self,
                expected: "a base64 string",
                encode: { $0.base64EncodedString() },
                decode: { Data(base64Encoded: $0) }
            ),
            JSONAdapter(
                text: URL.self,
                expected: "a URL",
                encode: { $0.absoluteString },
                decode: { URL(string: $0) }
            ),
            JSONAdapter(
                Decimal.self,
                expected: "a number that a Decimal can hold",
                encode: { $0.isFinite ? .number($0.description) : nil },
                decode: { scalar in
                    guard case .number(let literal) = scalar else { return nil }
                    return Decimal(string: literal, locale: Locale(identifier: "en_US_POSIX"))
                }
            ),
        ]
    }
}

extension JSONAdapter {
    /// Makes an adapter for a type whose values become texts in JSON.
    fileprivate init<T>(
        text type: T.Type,
        expected: String,
        encode: @escaping @Sendable (T) -> String,
        decode: @escaping @Sendable (String) -> T?
    ) {
        self.init(type, expected: expected, encode: { .string(encode($0)) }) { scalar in
            guard case .string(let text) = scalar else { return nil }
            return decode(text)
        }
    }
}
