import StoreJSON
import StoreTexts

/// The needs of a store's routes by path, as in the table in docs/POLICY.md.
package enum PolicyRoutes {
    /// Returns the methods of a path, and the need of its routes; `nil` if there is no such path.
    /// `path` is the path of a request, without the query and without a leading `/stores/NAME`.
    package static func route(at path: String) -> (methods: [String], need: RouteNeed)? {
        guard let segments = segments(of: path) else { return nil }
        for row in rows {
            if let found = row.match(segments) { return (row.methods, row.makeNeed(found)) }
        }
        return nil
    }

    /// Returns the decoded segments of a path; `nil` if its encoding is invalid.
    private static func segments(of path: String) -> [String]? {
        guard let rest = path.rest(after: "/") else { return nil }
        if rest.isEmpty { return [] }
        let parts = rest.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let segments = parts.compactMap {
            PercentEncoding.decode(String(decoding: $0, as: UTF8.self))
        }
        return segments.count == parts.count ? segments : nil
    }

    /// The routes of the paths with one template, and the need of these routes.
    private struct Row: Sendable {
        /// The segments of the template: `{…}` matches one segment, and `{…...}` at the end matches
        /// one or more segments.
        let template: [String]
        let methods: [String]
        /// The function that returns the need, given the segments that match the parameters of the
        /// template.
        let makeNeed: @Sendable ([String]) -> RouteNeed

        init(
            _ methods: [String],
            _ template: String,
            _ need: @escaping @Sendable ([String]) -> RouteNeed
        ) {
            self.template = template.split(separator: "/").map { String($0) }
            self.methods = methods
            self.makeNeed = need
        }

        init(_ methods: [String], _ template: String, _ need: RouteNeed) {
            self.init(methods, template) { _ in need }
        }

        /// Returns the segments that match the parameters of the template; `nil` if the path does
        /// not match.
        func match(_ segments: [String]) -> [String]? {
            var parameters: [String] = []
            for (index, part) in template.enumerated() {
                guard index < segments.count else { return nil }
                if part.hasSuffix("...}") { return parameters + segments[index...] }
                if part.hasPrefix("{") {
                    guard !segments[index].isEmpty else { return nil }
                    parameters.append(segments[index])
                } else if !part.isSame(as: segments[index]) {
                    return nil
                }
            }
            return segments.count == template.count ? parameters : nil
        }
    }

    private static let readMethods = ["GET", "HEAD"]

    private static let rows =
        rowsWithoutNeed + [
            Row(["POST"], "/dispatch", .dispatch),
            Row(readMethods, "/dispatch/{version}", .dispatch),
            Row(["POST"], "/modules/{module}/ui", .dispatch),
            Row(["POST"], "/modules/{module}/{id}/ui", .dispatch),
            Row(readMethods, "/state", .state),
            Row(readMethods, "/state/{pointer...}") {
                .member(name(inPointerSegment: $0.first ?? ""))
            },
            Row(["GET"], "/events", .state),
            Row(readMethods, "/modules", .state),
            Row(readMethods, "/modules/{module}") { .member($0.first ?? "") },
            Row(["GET"], "/modules/{module}/events") { .member($0.first ?? "") },
            Row(readMethods, "/modules/{module}/{id}") { .member($0.first ?? "") },
            Row(["GET"], "/modules/{module}/{id}/events") { .member($0.first ?? "") },
            Row(readMethods, "/views", .views),
            Row(readMethods, "/views/{view}") { .view($0.first ?? "") },
            Row(["GET"], "/views/{view}/events") { .view($0.first ?? "") },
            Row(readMethods, "/actions", .log),
            Row(["GET"], "/actions/events", .log),
            Row(readMethods, "/trace", .log),
            Row(["POST"], "/usecases/{path...}") { .useCase($0.joined(separator: "/")) },
            Row(["POST"], "/notify/{name}") { .notification($0.first ?? "") },
        ] + groupRows

    private static let rowsWithoutNeed = [
        Row(readMethods, "/", .nothing),
        Row(readMethods, "/livez", .nothing),
        Row(readMethods, "/readyz", .nothing),
        Row(readMethods, "/problems/{slug}", .nothing),
        Row(readMethods + ["POST", "DELETE"], "/session", .nothing),
    ]

    private static let groupRows = [
        Row(readMethods, "/schema", .group(.schema)),
        Row(readMethods, "/openapi.json", .group(.schema)),
        Row(["POST"], "/sessions", .group(.sessions)),
        Row(readMethods, "/route", .group(.sessions)),
        Row(["GET"], "/route/events", .group(.sessions)),
        Row(["POST"], "/route/shown", .group(.sessions)),
        Row(readMethods, "/effects", .group(.effects)),
        Row(["DELETE"], "/effects/{effect...}", .group(.effects)),
        Row(readMethods, "/metrics", .group(.metrics)),
        Row(readMethods, "/analytics", .group(.analytics)),
        Row(readMethods + ["POST", "DELETE"], "/debug/{rest...}", .group(.debug)),
        Row(readMethods, "/test/clock", .group(.clock)),
        Row(["POST"], "/test/clock/advance", .group(.clock)),
        Row(readMethods, "/stores", .group(.stores)),
    ]

    /// Returns the name that a decoded segment of a pointer represents. A slash in the segment
    /// comes from `%2F`, and means a slash in the name, like `~1`.
    private static func name(inPointerSegment segment: String) -> String {
        let token = segment.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).map { String(Substring($0)) }.joined(separator: "~1")
        return JSONPointer("/" + token)?.tokens.first ?? segment
    }
}
