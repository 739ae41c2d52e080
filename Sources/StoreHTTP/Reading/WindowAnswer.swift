import StoreHTTPTransport
import StoreJSON
import StoreTexts
import StoreWire

/// The answer with a window of an object (protocol 3.7).
struct WindowAnswer: Sendable {
    let pointer: JSONPointer
    let window: MemberWindow
    /// The path of the object.
    let path: String
    /// The past version that the request asks for; `nil` for the newest version.
    let version: UInt64?

    /// Answers a request with the window. A conditional request is answered with 304 if the client
    /// has the version. A large window is made on another thread.
    func answer(
        _ request: RequestContext,
        of state: VisibleState,
        by reader: StateReader,
        isConditional: Bool
    ) {
        let known = isConditional ? request.exchange.headerList("if-none-match") : nil
        request.exchange.suspend()
        complete(request, of: state, by: reader, ifNoneMatch: known)
    }

    /// Answers a suspended request. Any thread may call this function, which wakes the event loop.
    func complete(
        _ request: RequestContext,
        of state: VisibleState,
        by reader: StateReader,
        ifNoneMatch known: String? = nil
    ) {
        if state.isContentQuick(of: window, at: pointer) {
            return request.complete(result(of: state, ifNoneMatch: known).map { $0.response })
        }
        let isTaken = reader.threads.largeAnswers.submitAnswer { [self] in
            let result = result(of: state, ifNoneMatch: known)
            request.complete(result.map { $0.response })
            return (try? result.get().byteCount) ?? 0
        }
        if !isTaken { request.complete(.failure(.overloaded("too many state reads wait already"))) }
    }

    /// Returns the response, with the number of bytes of its body.
    func result(
        of state: VisibleState,
        ifNoneMatch known: String?
    ) -> Result<(response: HTTPResponse, byteCount: Int), Problem> {
        guard let content = state.content(of: window, at: pointer) else {
            return .failure(
                state.part(at: pointer) == nil
                    ? .notFound(pointer: pointer.description)
                    : .badRequest(
                        "The part at '\(pointer)' is no object. The parameters from and limit "
                            + "select members of an object."
                    )
            )
        }
        if StateAnswer.isKnownToClient(state, ifNoneMatch: known) {
            return .success((StateAnswer.notModified(state), 0))
        }
        let link = content.nextName.map {
            [("Link", "<\(requestTarget(ofWindowFrom: $0))>; rel=\"next\"")]
        }
        let response = StateAnswer.response(with: content.object, of: state, adding: link ?? [])
        return .success((response, content.object.count))
    }

    private func requestTarget(ofWindowFrom name: String) -> String {
        path + "?limit=\(window.limit)&from=" + PercentEncoding.encode(name)
            + (version.map { "&version=\($0)" } ?? "")
    }
}

/// The parameters of a window.
enum WindowParameters {
    static let from = makeFrom()
    static let limit = makeLimit()
    static let all: [any RouteParameter] = [from, limit]

    /// Returns the parameters for a route whose parameter `other` names the object of the window.
    static func all(needing other: String) -> [any RouteParameter] {
        let note = " Needs \(other)."
        return [makeFrom(note), makeLimit(note)]
    }

    private static func makeFrom(_ note: String = "") -> Parameter<String> {
        .text(
            "from",
            "The window of an object begins with the first member whose name is not before this "
                + "name." + note
        )
    }

    private static func makeLimit(_ note: String = "") -> Parameter<UInt64> {
        .number(
            "limit",
            in: 1...UInt64(MemberWindow.limitMax),
            "The maximum number of members in a window of an object; \(MemberWindow.limitDefault) "
                + "by default."
                + note
        )
    }
}

extension RequestContext {
    /// The window that the request asks for; `nil` if it asks for a whole part.
    var window: MemberWindow? {
        let (from, limit) = (self[WindowParameters.from], self[WindowParameters.limit])
        guard from != nil || limit != nil else { return nil }
        return MemberWindow(from: from, limit: limit.map { Int($0) } ?? MemberWindow.limitDefault)
    }
}
