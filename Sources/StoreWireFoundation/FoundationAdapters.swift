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
