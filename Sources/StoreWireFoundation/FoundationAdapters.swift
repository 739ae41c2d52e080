import Foundation
public import StoreWire

// For states that hold Foundation's values. Only people who import this target link Foundation.

extension Array where Element == JSONAdapter {
    /// Writes Foundation's types as `Foundation.JSONEncoder` does: `Date` as ISO 8601 in whole
    /// seconds, `Data` as base64, `URL` as its text, `Decimal` as a number.
    ///
    /// `UUID` needs no adapter: it is a string by its own `Codable`.
    public static var foundation: [JSONAdapter] { [date, data, url, decimal] }

    private static var date: JSONAdapter {
        JSONAdapter(
            Date.self,
            expected: "an ISO 8601 date such as \"2026-11-21T03:07:09Z\"",
            encode: { .string($0.formatted(.iso8601)) },
            decode: { scalar in
                guard case .string(let text) = scalar else { return nil }
                return try? Date(text, strategy: .iso8601)
            }
        )
    }

    private static var data: JSONAdapter {
        JSONAdapter(
            Data.self,
            expected: "a base64 string",
            encode: { .string($0.base64EncodedString()) },
            decode: { scalar in
                guard case .string(let text) = scalar else { return nil }
                return Data(base64Encoded: text)
            }
        )
    }

    private static var url: JSONAdapter {
        JSONAdapter(
            URL.self,
            expected: "a URL",
            encode: { .string($0.absoluteString) },
            decode: { scalar in
                guard case .string(let text) = scalar else { return nil }
                return URL(string: text)
            }
        )
    }

    private static var decimal: JSONAdapter {
        JSONAdapter(
            Decimal.self,
            expected: "a number that a Decimal can hold",
            encode: { $0.isFinite ? .number($0.description) : nil },
            decode: { scalar in
                guard case .number(let literal) = scalar else { return nil }
                return Decimal(string: literal, locale: Locale(identifier: "en_US_POSIX"))
            }
        )
    }
}
