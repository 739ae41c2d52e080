/// An error in the form that the client gets: `application/problem+json` (RFC 9457, protocol 8.1).
///
/// A value without behaviour. The functions that make a ``Problem`` set the members and headers of
/// each kind, so that a handler only names the error. The client gets `detail`, so it must not
/// contain a secret.
package struct Problem: Error, Sendable {
    package static let contentType = "application/problem+json"

    package let slug: ProblemSlug
    /// A sentence or two about this occurrence: the attempt, the bound, the remedy.
    package let detail: String
    /// The id of the request; `nil` until it is known.
    package var instance: String?
    /// The members behind those of RFC 9457, in the order of the JSON text.
    package private(set) var members: [ProblemMember]
    /// Headers that the status requires, such as `Allow` of 405.
    package private(set) var headers: [(name: String, value: String)]

    package init(
        _ slug: ProblemSlug,
        detail: String,
        members: [ProblemMember] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.slug = slug
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    package var status: Int { slug.status }
    package var title: String { ProblemCatalog.page(of: slug).title }

    /// The header fields of a response with this problem: the type of the body, `no-store`, and the
    /// fields of this kind of problem.
    package var responseHeaders: [(name: String, value: String)] {
        [
            (name: "Content-Type", value: Problem.contentType),
            (name: "Cache-Control", value: "no-store"),
        ] + headers
    }

    /// Returns the same problem with a further header field in its response.
    package func with(_ field: (String, String)) -> Problem {
        var problem = self
        problem.headers.append((name: field.0, value: field.1))
        return problem
    }

    /// Returns the same problem with the id of its request, and with the name of the store if it
    /// has one.
    package func at(instance: String?, in store: String? = nil) -> Problem {
        var problem = self
        problem.instance = instance
        if let store { problem.members.append(ProblemMember("store", .string(store))) }
        return problem
    }
}
