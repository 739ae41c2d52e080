import StoreTexts
import StoreWire

/// The parameters of a request target's query (`a=1&b=2`), percent-decoded.
///
/// The initializer is strict, because an answer that silently ignores a parameter misleads the
/// client. A parameter that is unknown, repeated, badly encoded, or has a forbidden value is an
/// error.
struct Query: Sendable {
    static let parametersMax = 32

    private var values: [(name: String, value: String)] = []

    /// Reads `text`, which may have only the parameters in `allowed`.
    ///
    /// - Throws: 400 for the first parameter that breaks a rule.
    init(_ text: String, allowed: [any RouteParameter]) throws(Problem) {
        for part in text.split(separator: "&", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
                let value = PercentEncoding.decode(pair.dropFirst().first ?? "", plusIsSpace: true)
            else {
                throw .badRequest(
                    "The query has a bad percent-encoding in '\(Problem.excerpt(String(part)))'."
                )
            }
            guard let parameter = allowed.first(where: { $0.isOfQuery && $0.name.isSame(as: name) })
            else {
                throw .badRequest(
                    "There is no query parameter '\(Problem.excerpt(name))' here; \(allowed.allowedNamesText)."
                )
            }
            guard self[name] == nil else {
                throw .badRequest("The query parameter '\(name)' is given twice; give it once.")
            }
            guard values.count < Self.parametersMax else {
                throw .badRequest("The query has over \(Self.parametersMax) parameters.")
            }
            guard parameter.allows(value) else {
                throw .badQuery(name, allowed: parameter.allowedValues)
            }
            values.append((name, value))
        }
    }

    /// The value of a parameter; `nil` if the query does not have it.
    subscript(name: String) -> String? { values.first { $0.name.isSame(as: name) }?.value }
}

extension [any RouteParameter] {
    fileprivate var allowedNamesText: String {
        let names = filter(\.isOfQuery).map(\.name)
        return names.isEmpty
            ? "this resource takes none" : "allowed are \(names.joined(separator: ", "))"
    }
}
