import Foundation
public import StoreJSON

// Adapters for states with values of Foundation. Only a program that imports this target links
// Foundation.

extension Array where Element == JSONAdapter {
    /// The adapters for Foundation's types. `Date` becomes ISO 8601 in whole seconds, `Data`
    /// base64, `URL` its text and `Decimal` a number. `Foundation.JSONEncoder` writes the same
    /// forms with the strategy `.iso8601` for dates.
    ///
    /// `UUID` needs no adapter: its own `Codable` writes a string.
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
    /// Makes an adapter for a type that has a text for each value.
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
