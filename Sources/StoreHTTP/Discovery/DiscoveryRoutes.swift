import StoreAdmission
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// The routes that describe the server: its resources, its schema, its problems.
struct DiscoveryRoutes: RouteGroup {
    let links: Links
    let title: String
    let programVersion: String
    /// The JSON Schema of the state, as a client's session sees it, and of the actions.
    let schema: Bytes
    /// The same schema as ``schema``, but with the state of all sessions.
    let operatorSchema: Bytes
    /// The named schemas to which the description of the API refers.
    let components: [JSONSchema.Property]
    /// Returns the newest version of the state; `nil` if the page describes no store.
    var newestVersion: @Sendable () -> UInt64? = { nil }

    var routes: [Route] {
        let example = DispatchExample(definitions: components).json
        return [
            .reading(
                links.index,
                "Index",
                "The resources of this server: a page for people, JSON for programs.",
                needs: .everyone,
                answers: [
                    .init(
                        200,
                        "The list.",
                        headers: ["Vary"],
                        bodies: [.json(Self.indexSchema), .init(ProblemPage.htmlContentType)]
                    )
                ]
            ) { request in
                showIndex(request, example: example)
            },
            .reading(
                links.schema,
                "Schema",
                "JSON Schema of the state and the actions.",
                needs: .schema,
                answers: [.text("application/schema+json", "The schema.")]
            ) { [schema, operatorSchema] request throws(Problem) in
                let isOperator = try request.caller().isOperator
                request.respond(
                    .document(isOperator ? operatorSchema : schema, "application/schema+json")
                )
            },
            .reading(
                links.openAPI,
                "OpenAPI",
                "OpenAPI 3.1 of every route.",
                needs: .schema,
                answers: [.json(.any, "The document.")],
                audience: .all
            ) { [title, programVersion, components] request in
                let environment = request.environment
                let document = environment.catalog.description(for: request) { operations in
                    OpenAPI(
                        title: title,
                        apiVersion: programVersion,
                        summary:
                            "A Redux-style store: clients dispatch actions, and read the state "
                            + "that the actions make.",
                        operations: operations,
                        components: components,
                        credentials: environment.access == nil
                            ? [] : [.bearer, .cookie(environment.credentialCookie.name)]
                    ).bytes
                }
                request.respond(.document(document, "application/json"))
            },
            .reading(
                links.problems + "/{slug}",
                "Problem",
                "The meaning of a kind of problem.",
                needs: .everyone,
                parameters: [
                    Parameter.path(
                        "slug",
                        oneOf: ProblemSlug.allCases.map(\.rawValue),
                        "The kind's name."
                    )
                ],
                answers: [.text("text/html", "A page.")],
                problems: [.notFound],
                audience: .all
            ) { request throws(Problem) in
                guard let page = ProblemCatalog.page(named: try request.pathParameter()) else {
                    throw request.notFound
                }
                request.respond(.page(page.html))
            },
        ]
    }

    private static let indexSchema = JSONSchema.object([
        .init("title", .string()), .init("version", .string()),
        .init(
            "routes",
            .array(
                of: .object([
                    .init("id", .string()), .init("method", .string()), .init("path", .string()),
                    .init("summary", .string()),
                ])
            )
        ),
    ])

    private func showIndex(_ request: RequestContext, example: String?) {
        let identity = request.identity
        let routes = request.environment.catalog.routes(for: request).filter {
            $0.method != .head && identity?.mayUse($0) != false
        }
        let vary = ("Vary", identity == nil ? "Accept" : "Accept, Authorization, Cookie")
        guard request.prefersHTML else {
            return request.respond(
                .document(indexJSON(routes), "application/json", addingFields: [vary])
            )
        }
        let page = IndexPage(
            program: title,
            programVersion: programVersion,
            newestVersion: newestVersion(),
            links: links,
            routes: routes,
            // The example may be any action, so only a role that may dispatch all actions gets the
            // example.
            example: identity?.hasAllRights == false ? nil : example,
            host: request.exchange.host ?? "localhost"
        )
        request.respond(.page(page.html, addingFields: [vary]))
    }

    private func indexJSON(_ routes: [Route]) -> Bytes {
        var json = JSONWriter(capacity: 4_096)
        json.object { json in
            json.member("title", title)
            json.member("version", programVersion)
            json.objectArray("routes", of: routes) { json, route in
                json.member("id", route.id)
                json.member("method", route.method.name)
                json.member("path", route.path.text)
                json.member("summary", route.summary)
            }
        }
        return json.bytes
    }
}

extension HTTPResponse {
    /// Makes the answer with a document that describes the server.
    fileprivate static func document(
        _ document: Bytes,
        _ contentType: String,
        addingFields: [(String, String)] = []
    ) -> HTTPResponse {
        let headers = [("Content-Type", contentType), ("Cache-Control", "no-cache")] + addingFields
        return HTTPResponse(status: 200, headers: headers, body: .shared(document))
    }

    /// Makes the answer with a page for people.
    fileprivate static func page(
        _ html: String,
        addingFields: [(String, String)] = []
    ) -> HTTPResponse {
        let fields = addingFields + pageHeaderFields
        return .document(Bytes(utf8: html), ProblemPage.htmlContentType, addingFields: fields)
    }

    /// The header fields of a page for people. Because of these fields, a browser loads no further
    /// files for the page, and shows the page in no frame. The browser sends the page's address to
    /// no other site.
    private static let pageHeaderFields = [
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
    ]
}
