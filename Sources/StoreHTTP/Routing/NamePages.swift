import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreTexts
import StoreWire

/// A list of named elements, which clients read in pages. The elements are sorted by name.
struct NamePages: Sendable {
    /// The maximum number of elements in a page if the request sets no limit.
    static let limitDefault: UInt64 = 1_000
    static let limitMax: UInt64 = 10_000

    private static let limit = Parameter<UInt64>.number(
        "limit",
        in: 1...limitMax,
        "The maximum number of elements in the answer; \(limitDefault) by default."
    )
    private static let after = Parameter<String>.text(
        "after",
        "The answer begins with the first element whose name comes after this name."
    )
    static let parameters: [any RouteParameter] = [limit, after]

    /// The name of the list in the answer.
    let memberName: String
    /// The path of the list.
    let path: String

    /// Returns the schema of a page.
    func schema(of element: JSONSchema) -> JSONSchema {
        .object([
            .init("version", .unsigned), .init(memberName, .array(of: element)),
            .init("next", .string(), isRequired: false),
        ])
    }

    /// Answers a request with a page, on a thread for large answers.
    ///
    /// - Parameters:
    ///   - request: the request, which this function suspends.
    ///   - reader: the reader whose threads make the page.
    ///   - find: returns the newest version and at most `limit` elements, sorted by name, from the
    ///     first element behind `after`.
    ///   - name: returns the name of an element.
    ///   - write: writes the members of an element.
    func answer<Element>(
        _ request: RequestContext,
        by reader: StateReader,
        find: @escaping @Sendable (_ after: String?, _ limit: Int) -> (UInt64, [Element]),
        name: @escaping @Sendable (Element) -> String,
        write: @escaping @Sendable (inout JSONWriter, Element) -> Void
    ) {
        let limit = Int(request[Self.limit] ?? Self.limitDefault)
        let after = request[Self.after]
        request.exchange.suspend()
        let isAccepted = reader.threads.largeAnswers.submitAnswer {
            // If `find` returns an element beyond the limit, there is a next page.
            let (version, elements) = find(after, limit + 1)
            var json = JSONWriter(capacity: 4_096)
            json.object { json in
                json.member("version", version)
                json.objectArray(memberName, of: elements.prefix(limit)) { write(&$0, $1) }
                guard elements.count > limit, let last = elements.prefix(limit).last else { return }
                json.member("next", nextPath(after: name(last), limit))
            }
            let body = json.byteArray
            request.complete(.success(.uncached(body)))
            return body.count
        }
        if !isAccepted {
            request.complete(.failure(.overloaded("too many state reads wait already")))
        }
    }

    private func nextPath(after name: String, _ limit: Int) -> String {
        path + "?limit=\(limit)&after=" + PercentEncoding.encode(name)
    }
}
