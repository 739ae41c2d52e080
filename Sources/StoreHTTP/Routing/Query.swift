import StoreTexts
import StoreWire

/// The parameters of a request target's query (`a=1&b=2`), percent-decoded.
///
/// Strict, because a parameter that is silently passed over makes an answer untrue: an unknown one,
/// one given twice, one with a value that is not allowed and one that is badly encoded are all
/// errors.
struct Query: Sendable {
    /// The most parameters that are read.
    static let parametersMax = 32

    private var values: [(name: String, value: String)] = []

    /// No parameters.
    init() {}

    /// Reads `text`, of which only the parameters in `allowed` may be there.
    init(_ text: String, allowed: [any RouteParameter]) throws(Problem) {
        for part in text.split(separator: "&", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
                let value = pair.count > 1
                    ? PercentEncoding.decode(pair[1], plusIsSpace: true) : ""
            else {
                throw .badRequest(
                    "The query has a bad percent-encoding in '\(Problem.excerpt(String(part)))'."
                )
            }
            guard let parameter = allowed.named(name) else {
                throw .badRequest(
                    "There is no query parameter '\(Problem.excerpt(name))' here; \(allowed.namesInWords)."
                )
            }
            guard self[name] == nil else {
                throw .badRequest("The query parameter '\(name)' is given twice; give it once.")
            }
            guard values.count < Self.parametersMax else {
                throw .badRequest("The query has over \(Self.parametersMax) parameters.")
            }
            guard parameter.allows(value) else {
                throw .badQuery(name, allowed: parameter.allowed)
            }
            values.append((name, value))
        }
    }

    /// The value of a parameter, or `nil` where it is not given.
    subscript(name: String) -> String? {
        values.first { $0.name.isSame(as: name) }?.value
    }
}

extension [any RouteParameter] {
    private var ofQuery: [String] {
        compactMap { $0.description.place == .query ? $0.description.name : nil }
    }

    fileprivate func named(_ name: String) -> (any RouteParameter)? {
        first { $0.description.place == .query && $0.description.name.isSame(as: name) }
    }

    fileprivate var namesInWords: String {
        let names = ofQuery
        return names.isEmpty
            ? "this resource takes none" : "allowed are \(names.joined(separator: ", "))"
    }
}
