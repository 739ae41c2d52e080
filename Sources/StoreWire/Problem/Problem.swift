/// An error as the client gets it: `application/problem+json` (RFC 9457, protocol 8.1).
///
/// A value without behaviour: the functions that make a ``Problem`` set each kind's members and
/// headers, and a handler names only what went wrong. Nothing in it may be secret: the client gets
/// `detail`.
package struct Problem: Error, Sendable {
    package static let contentType = "application/problem+json"

    package let slug: ProblemSlug
    /// One sentence or two about this very occurrence: what was attempted, the bound, what to do.
    package let detail: String
    /// The request id, once it is known.
    package var instance: String?
    /// In the order in which they are written, behind the members of RFC 9457.
    package private(set) var members: [ProblemMember]
    /// Headers without which the status is incomplete, such as `Allow` of 405.
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
    /// fields of this kind.
    package var responseHeaders: [(name: String, value: String)] {
        [
            (name: "Content-Type", value: Problem.contentType),
            (name: "Cache-Control", value: "no-store"),
        ] + headers
    }

    /// The same problem with a further field in the head of its response.
    package func with(_ field: (String, String)) -> Problem {
        var problem = self
        problem.headers.append((name: field.0, value: field.1))
        return problem
    }

    /// The same problem with the id of the request in which it occurred, and with the store that
    /// was asked, where that has a name.
    package func at(instance: String?, in store: String? = nil) -> Problem {
        var problem = self
        problem.instance = instance
        if let store { problem.members.append(ProblemMember("store", .string(store))) }
        return problem
    }
}
