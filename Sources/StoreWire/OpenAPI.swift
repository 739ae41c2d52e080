package import StoreJSONSchema

/// A description of an HTTP interface, written as OpenAPI 3.1 (protocol 6.2).
///
/// The server makes the description from the table that also routes its requests. So the
/// description fits the behaviour of the server.
package struct OpenAPI: Sendable {
    package static let specificationVersion = "3.1.0"

    package let title: String
    /// The version of the described interface. ``specificationVersion`` is the version of OpenAPI.
    package let apiVersion: String
    package let summary: String?
    package let operations: [Operation]
    /// The schemas that operations refer to with `JSONSchema.reference`. The document also has the
    /// schemas of problems, which are not in this list.
    package let components: [JSONSchema.Property]
    /// The kinds of credentials that a request may have; one credential is sufficient. Empty if the
    /// server requires no credentials.
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
    /// The kind of a credential, by its place in a request (a security scheme of OpenAPI).
    package enum Credential: Sendable {
        /// A token in the field `Authorization` (RFC 6750).
        case bearer
        case cookie(String)

        /// The name of the security scheme, by which operations refer to the credential.
        var schemeName: String {
            switch self {
            case .bearer: "bearer"
            case .cookie: "cookie"
            }
        }
    }

    /// The kinds of callers that an operation admits.
    package enum Admission: Sendable {
        case everyone
        /// Callers with a credential. Callers without a credential are also admitted if the role
        /// `anonymous` permits the operation.
        case anonymousIfPermitted
        /// Callers with a credential, and no other callers.
        case authenticated
    }
}

extension OpenAPI {
    /// An HTTP method on a path.
    package struct Operation: Sendable {
        /// The HTTP method in capitals.
        package let method: String
        /// The path with its parameters in braces: `/views/{name}`.
        package let path: String
        /// The `operationId`, a name that no other operation has, such as `dispatch`.
        package let id: String
        package let summary: String
        package let parameters: [Parameter]
        package let body: Body?
        package let isBodyRequired: Bool
        package let answers: [Answer]
        /// The kinds of problems that the operation may answer with.
        package let problems: [ProblemSlug]
        /// The callers that the operation admits; ignored if the server requires no credentials.
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

    /// A parameter of a request: a part of the path, a query parameter or a header.
    package struct Parameter: Sendable {
        package enum Location: String, Sendable {
            case path, query, header
        }

        package let name: String
        package let location: Location
        package let schema: JSONSchema
        package let summary: String
        package let isRequired: Bool

        /// Makes a parameter. A parameter of the path is always required.
        package init(
            _ name: String,
            in place: Location,
            _ schema: JSONSchema = .string(),
            summary: String,
            isRequired: Bool = false
        ) {
            self.name = name
            self.location = place
            self.schema = schema
            self.summary = summary
            self.isRequired = isRequired || place == .path
        }
    }

    /// The media type and the schema of a body, in a request or an answer.
    package struct Body: Sendable {
        package let mediaType: String
        /// The schema of the body; `nil` if the body has no schema, such as a stream or a page.
        package let schema: JSONSchema?

        package init(_ mediaType: String, _ schema: JSONSchema? = nil) {
            self.mediaType = mediaType
            self.schema = schema
        }

        package static func json(_ schema: JSONSchema) -> Body { Body("application/json", schema) }
    }

    /// An answer to a successful request.
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
