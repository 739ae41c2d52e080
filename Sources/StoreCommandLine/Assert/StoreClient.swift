import StoreCurl
import StoreJSON
import StoreWire

/// A client of a store over HTTP, for the steps of a script.
struct StoreClient {
    /// The maximum time, in seconds, that a request waits for its effects. Servers do not allow a
    /// longer wait.
    static let effectsWaitSecondsMax = 60
    /// The maximum time of any other exchange, in seconds.
    static let exchangeSecondsMax = 30

    let http: CommandClient
    private let credentials: ScriptCredentials
    /// The cookies of the begun sessions, by their names in the script.
    private var cookiesBySession: [String: String] = [:]

    init(http: CommandClient, _ credentials: ScriptCredentials) {
        self.http = http
        self.credentials = credentials
    }

    struct ObservedState {
        let state: JSONTree
        let version: UInt64
    }

    /// An applied action, as the log shows it.
    struct AppliedEntry {
        let version: UInt64
        let type: String
        /// True if the program dispatched the action because of another action.
        let isConsequence: Bool
    }

    enum Outcome {
        /// The request succeeded, and all its effects have ended. The value has the versions of its
        /// actions; `nil` if the request has no actions.
        case succeeded(ClosedRange<UInt64>?)
        /// The request was accepted, but its effects did not end in time.
        case unfinished
        case problem(slug: String, detail: String, reason: String?)
        /// The answer has an error status, but is not a problem of a store's server.
        case foreignAnswer(status: Int)
    }

    /// Begins the session of a sender, if the sender has a session that has not begun yet.
    mutating func beginSession(of sender: AssertScript.Sender) throws(CommandClientError) {
        guard let session = sender.session, cookiesBySession[session] == nil else { return }
        let answer = try http.exchange(
            .post,
            "/sessions",
            headers: headers(credential(of: sender)),
            seconds: Self.exchangeSecondsMax
        )
        guard answer.status == 201,
            let cookie = answer.headers["set-cookie"]?.split(separator: ";").first
        else {
            throw CommandClientError(
                "\(http.authority) answers \(answer.status) to POST /sessions, so the session "
                    + "'\(session)' does not begin"
            )
        }
        cookiesBySession[session] = String(cookie)
    }

    private func credential(of sender: AssertScript.Sender) -> Credential? {
        sender.principal.map { credentials.senderCredentialsByPrincipal[$0] }
            ?? credentials.sessionlessReaderCredential
    }

    /// Returns the headers of requests that read the result of a step. Without a session, the
    /// headers have the credential of the whole script. In a session, the headers have the
    /// principal's credential from ``ScriptCredentials/sessionReaderCredentialsByPrincipal``, or
    /// else the credential of the step.
    private func readingHeaders(of sender: AssertScript.Sender) -> HTTPHeaders {
        guard let session = sender.session else {
            return headers(credentials.sessionlessReaderCredential)
        }
        let reader = sender.principal.flatMap {
            credentials.sessionReaderCredentialsByPrincipal[$0]
        }
        return headers(reader ?? credential(of: sender), session)
    }

    private func headers(_ credential: Credential?, _ session: String? = nil) -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        if let credential { headers.add("Authorization", credential.authorization) }
        if let cookie = session.flatMap({ cookiesBySession[$0] }) { headers.add("Cookie", cookie) }
        return headers
    }

    /// Returns the newest state, with the parts that the sender of a step may read.
    func readState(_ sender: AssertScript.Sender) throws(CommandClientError) -> ObservedState {
        let answer = try get("/state", sender)
        guard let tag = answer.headers["etag"].flatMap({ Tag($0.dropFirst().dropLast()) }),
            let state = parse(answer)
        else {
            throw CommandClientError(
                "\(http.authority) did not answer GET /state with a state and an ETag"
            )
        }
        return ObservedState(state: JSONTree(state.root), version: tag.version)
    }

    /// Returns the applied actions with versions from `start + 1` to `end` that the sender may
    /// read.
    func appliedActions(
        after start: UInt64,
        through end: UInt64,
        _ sender: AssertScript.Sender
    ) throws(CommandClientError) -> [AppliedEntry] {
        var applied: [AppliedEntry] = []
        var lastReadVersion = start
        while lastReadVersion < end {
            let page = parse(try get("/actions?after=\(lastReadVersion)&limit=1000", sender))?.root
            guard let records = page?.member(named: "actions")?.elements else {
                throw CommandClientError(
                    "\(http.authority) has no log of actions after \(lastReadVersion)"
                )
            }
            // If the page is empty, all later actions belong to other sessions, and the sender
            // can't read these actions.
            guard !records.isEmpty else { break }
            for record in records {
                guard let version = record.member(named: "version").flatMap(Self.version),
                    let type = record.member(named: "type")?.stringValue
                else { throw CommandClientError("\(http.authority) has a log that can't be read") }
                lastReadVersion = version
                guard version <= end else { break }
                let isConsequence = record.member(named: "cause") != nil
                applied.append(
                    AppliedEntry(version: version, type: type, isConsequence: isConsequence)
                )
            }
        }
        return applied
    }

    /// Sends the request of a step, and waits until all effects of the request have ended.
    func perform(
        _ request: AssertScript.Request,
        _ sender: AssertScript.Sender
    ) throws(CommandClientError) -> Outcome {
        var headers = headers(credential(of: sender), sender.session)
        headers.add("Content-Type", "application/json")
        headers.add("Prefer", "wait=\(Self.effectsWaitSecondsMax)")
        let answer = try http.exchange(
            .post,
            request.path,
            headers: headers,
            body: request.body,
            seconds: Self.effectsWaitSecondsMax + Self.exchangeSecondsMax
        )
        let body = parse(answer)?.root
        switch answer.status {
        case 200:
            guard request.path == "/dispatch" || request.path.hasSuffix("/ui"),
                let last = body?.member(named: "version").flatMap(Self.version)
            else { return .succeeded(nil) }
            let first = body?.member(named: "first").flatMap(Self.version) ?? last
            return .succeeded(min(first, last)...last)
        case 202: return .unfinished
        default:
            let prefix = "/problems/"
            guard let type = body?.member(named: "type")?.stringValue, type.hasPrefix(prefix) else {
                return .foreignAnswer(status: answer.status)
            }
            return .problem(
                slug: String(type.dropFirst(prefix.count)),
                detail: body?.member(named: "detail")?.stringValue ?? "",
                reason: body?.member(named: "reason")?.stringValue
            )
        }
    }

    private func get(
        _ target: String,
        _ sender: AssertScript.Sender
    ) throws(CommandClientError) -> HTTPResponse {
        let answer = try http.exchange(
            .get,
            target,
            headers: readingHeaders(of: sender),
            seconds: Self.exchangeSecondsMax
        )
        guard answer.status == 200 else {
            let isDenied = [401, 403].contains(answer.status)
            let hint = isDenied ? "; --token-file sends a credential" : ""
            throw CommandClientError(
                "\(http.authority) answers \(answer.status) to GET \(target)\(hint)"
            )
        }
        return answer
    }

    private func parse(_ answer: HTTPResponse) -> JSONDocument? {
        try? JSONDocument(parsing: answer.body, limits: .unbounded)
    }

    private static func version(_ node: JSONNode) -> UInt64? { UInt64(node.sourceText) }
}
