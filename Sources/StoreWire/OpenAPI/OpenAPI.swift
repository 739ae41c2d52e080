/// A description of an HTTP interface, written as OpenAPI 3.1 (protocol 6.2).
///
/// It is made from the same table that requests are routed by, so it describes what the server
/// does.
package struct OpenAPI: Sendable {
    package static let version = "3.1.0"

    package let title: String
    /// The version of the described interface, not of OpenAPI.
    package let apiVersion: String
    package let summary: String?
    package let operations: [Operation]
    /// What operations refer to by `JSONSchema.reference`. Problems are added by themselves.
    package let components: [JSONSchema.Property]
    /// How a request shows who sends it, any one of these; none where that makes no difference.
    package let credentials: [Credential]

    package init(
        title: String,
        apiVersion: String,
        summary: String? = nil,
        operations: [Operation],
        components: [JSONSchema.Property] = [],
        credentials: [Credential] = []
    ) {
        self.title = title
        self.apiVersion = apiVersion
        self.summary = summary
        self.operations = operations
        self.components = components
        self.credentials = credentials
    }
}

extension OpenAPI {
    /// Where a request shows who sends it (OpenAPI's security schemes).
    package enum Credential: Sendable {
        /// A token in the field `Authorization` (RFC 6750).
        case bearer
        /// A cookie of this name.
        case cookie(String)

        /// The name by which operations refer to it.
        var name: String {
            switch self {
            case .bearer: "bearer"
            case .cookie: "cookie"
            }
        }
    }

    /// Whether an operation asks who sends a request.
    package enum Admission: Sendable {
        /// All may use it.
        case everyone
        /// So may requests that show nothing, as far as their role allows it.
        case anonymous
        /// A credential is needed.
        case known
    }
}

extension OpenAPI {
    /// One method on one path.
    package struct Operation: Sendable {
        /// In capitals.
        package let method: String
        /// With parameters in braces: `/views/{name}`.
        package let path: String
        /// Unique among all operations: `dispatch`.
        package let id: String
        package let summary: String
        package let parameters: [Parameter]
        package let body: Body?
        package let isBodyRequired: Bool
        package let answers: [Answer]
        /// Every kind of problem that it may answer with.
        package let problems: [ProblemSlug]
        /// Who may use it, where there are credentials.
        package let admission: Admission

        package init(
            _ method: String,
            _ path: String,
            id: String,
            summary: String,
            parameters: [Parameter] = [],
            body: Body? = nil,
            isBodyRequired: Bool = true,
            answers: [Answer],
            problems: [ProblemSlug] = [],
            admission: Admission = .everyone
        ) {
            self.method = method
            self.path = path
            self.id = id
            self.summary = summary
            self.parameters = parameters
            self.body = body
            self.isBodyRequired = isBodyRequired
            self.answers = answers
            self.problems = problems
            self.admission = admission
        }
    }

    /// A part of a request beside its body.
    package struct Parameter: Sendable {
        package enum Place: String, Sendable {
            case path, query, header
        }

        package let name: String
        package let place: Place
        package let schema: JSONSchema
        package let summary: String
        package let isRequired: Bool

        /// A parameter; one of the path is always required.
        package init(
            _ name: String,
            in place: Place,
            _ schema: JSONSchema = .string(),
            summary: String,
            isRequired: Bool = false
        ) {
            self.name = name
            self.place = place
            self.schema = schema
            self.summary = summary
            self.isRequired = isRequired || place == .path
        }
    }

    /// Something of a media type, in a request or an answer.
    package struct Body: Sendable {
        package let mediaType: String
        /// `nil` where the type has no schema, such as a stream or a page.
        package let schema: JSONSchema?

        package init(_ mediaType: String, _ schema: JSONSchema? = nil) {
            self.mediaType = mediaType
            self.schema = schema
        }

        package static func json(_ schema: JSONSchema) -> Body {
            Body("application/json", schema)
        }
    }

    /// What comes back when nothing goes wrong.
    package struct Answer: Sendable {
        package let status: Int
        package let summary: String
        package let headers: [String]
        package let bodies: [Body]

        package init(
            _ status: Int,
            _ summary: String,
            headers: [String] = [],
            bodies: [Body] = []
        ) {
            self.status = status
            self.summary = summary
            self.headers = headers
            self.bodies = bodies
        }
    }
}
