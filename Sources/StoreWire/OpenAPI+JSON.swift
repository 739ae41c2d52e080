package import StoreJSON
import StoreJSONSchema

extension OpenAPI {
    /// The OpenAPI document as JSON. The same description always gives the same bytes.
    package var bytes: Bytes {
        var writer = JSONWriter(capacity: 16_384)
        writer.object { object in
            object.member("openapi", OpenAPI.specificationVersion)
            object.object(as: "info") { info in
                info.member("title", title)
                if let summary { info.member("summary", summary) }
                info.member("version", apiVersion)
            }
            object.member("jsonSchemaDialect", JSONSchema.dialect)
            object.object(as: "paths") { writePaths(to: &$0) }
            object.object(as: "components") { components in
                components.object(as: "schemas") { writeSchemas(to: &$0) }
                writeSecuritySchemes(to: &components)
            }
        }
        return writer.bytes
    }

    private static let schemaReferencePrefix = "#/components/schemas/"

    private func writePaths(to paths: inout JSONWriter) {
        var written: Set<String> = []
        for operation in operations where written.insert(operation.path).inserted {
            paths.object(as: operation.path) { item in
                for other in operations where other.path == operation.path {
                    item.object(as: other.method.lowercased()) {
                        OpenAPI.write(other, to: &$0)
                        writeSecurity(of: other, to: &$0)
                    }
                }
            }
        }
    }

    private func writeSchemas(to schemas: inout JSONWriter) {
        for component in components {
            component.schema.write(
                as: component.name,
                to: &schemas,
                definitions: Self.schemaReferencePrefix
            )
        }
        let used = Set(operations.flatMap(\.problems))
        for slug in ProblemSlug.allCases where used.contains(slug) {
            let name = OpenAPI.componentName(slug)
            slug.schema.write(as: name, to: &schemas, definitions: OpenAPI.schemaReferencePrefix)
        }
    }

    private func writeSecuritySchemes(to components: inout JSONWriter) {
        guard !credentials.isEmpty else { return }
        components.object(as: "securitySchemes") { schemes in
            for credential in credentials {
                schemes.object(as: credential.schemeName) { scheme in
                    switch credential {
                    case .bearer:
                        scheme.member("type", "http")
                        scheme.member("scheme", "bearer")
                    case .cookie(let name):
                        scheme.member("type", "apiKey")
                        scheme.member("in", "cookie")
                        scheme.member("name", name)
                    }
                }
            }
        }
    }

    /// Writes the alternatives of credentials for an operation: each kind of credential is an
    /// alternative. If the operation admits anonymous callers, a request without a credential is
    /// another alternative.
    private func writeSecurity(of operation: Operation, to json: inout JSONWriter) {
        guard !credentials.isEmpty, operation.admission != .everyone else { return }
        json.array(as: "security") { list in
            for credential in credentials {
                list.object { alternative in alternative.array(as: credential.schemeName) { _ in } }
            }
            if operation.admission == .anonymousIfPermitted { list.object { _ in } }
        }
    }

    private static func componentName(_ slug: ProblemSlug) -> String { "problem.\(slug.rawValue)" }

    private static func write(_ operation: Operation, to json: inout JSONWriter) {
        json.member("operationId", operation.id)
        json.member("summary", operation.summary)
        if !operation.parameters.isEmpty {
            json.array(as: "parameters") { list in
                for parameter in operation.parameters {
                    list.object { write(parameter, to: &$0) }
                }
            }
        }
        if let body = operation.body {
            json.object(as: "requestBody") { request in
                request.member("required", operation.isBodyRequired)
                write([body], to: &request)
            }
        }
        json.object(as: "responses") { writeResponses(of: operation, to: &$0) }
    }

    private static func write(_ parameter: Parameter, to object: inout JSONWriter) {
        object.member("name", parameter.name)
        object.member("in", parameter.location.rawValue)
        object.member("description", parameter.summary)
        if parameter.isRequired { object.member("required", true) }
        parameter.schema.write(as: "schema", to: &object, definitions: schemaReferencePrefix)
    }

    private static func write(_ bodies: [Body], to object: inout JSONWriter) {
        guard !bodies.isEmpty else { return }
        object.object(as: "content") { content in
            for body in bodies {
                content.object(as: body.mediaType) { type in
                    guard let schema = body.schema else { return }
                    schema.write(as: "schema", to: &type, definitions: schemaReferencePrefix)
                }
            }
        }
    }

    /// Writes an entry for each status. The entry has all answers and all problems with this
    /// status.
    private static func writeResponses(of operation: Operation, to responses: inout JSONWriter) {
        let statuses = Set(operation.answers.map(\.status) + operation.problems.map(\.status))
        for status in statuses.sorted() {
            let answers = operation.answers.filter { $0.status == status }
            let problems = operation.problems.filter { $0.status == status }
            let titles = problems.map { ProblemCatalog.title(of: $0) }
            responses.object(as: String(status)) { response in
                let words = answers.map(\.summary) + titles
                response.member("description", words.joined(separator: "; "))
                let headers =
                    answers.flatMap(\.headers)
                    + problems.flatMap { $0.headerNames + $0.rateLimitHeaderNames }
                write(headers: headers, to: &response)
                // An answer to HEAD has no body, even if the answer has the headers of a body.
                guard operation.method.uppercased() != "HEAD" else { return }
                write(answers.flatMap(\.bodies) + problemBodies(of: problems), to: &response)
            }
        }
    }

    private static func write(headers: [String], to response: inout JSONWriter) {
        guard !headers.isEmpty else { return }
        response.object(as: "headers") { object in
            var written: Set<String> = []
            for name in headers where written.insert(name).inserted {
                object.object(as: name) { header in
                    JSONSchema.string().write(as: "schema", to: &header)
                }
            }
        }
    }

    private static func problemBodies(of problems: [ProblemSlug]) -> [Body] {
        let schemas = problems.map { JSONSchema.reference(componentName($0)) }
        guard let first = schemas.first else { return [] }
        return [Body(Problem.contentType, schemas.count == 1 ? first : .oneOf(schemas))]
    }
}
