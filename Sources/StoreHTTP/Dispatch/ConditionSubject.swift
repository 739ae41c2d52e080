import StoreAdmission
import StoreAuthorization
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StorePublishing
import StoreWire

/// The resource that the condition of a dispatch names, with the client's version of the resource
/// (protocol 2.7). The resource is a part of the state, or a view.
struct ConditionSubject: Sendable {
    private enum Resource: Sendable {
        case part(JSONPointer)
        case view(ViewRequest, PublishedView)
    }

    /// The path of the resource, as the client has sent it.
    let path: String
    /// The version of the client's tag; `nil` for a tag of another epoch.
    let tagVersion: UInt64?
    private let resource: Resource
    private let reader: StateReader
    private let caller: Caller
    /// Returns true if the resource may depend on the member of the state at this index. `nil` if
    /// the state has no members, or if the caller reads the slices of all sessions. The Core can't
    /// decide by members then.
    private let mayDependOn: (@Sendable (_ member: Int) -> Bool)?

    /// Reads the path of a resource in the form of a request's target: `/state/todos/items`, or
    /// `/views/items?limit=10`.
    ///
    /// - Throws: 400 for other paths, hidden views, and parameters that the view does not take.
    init(_ text: String, tagVersion: UInt64?, _ store: Store, for caller: Caller) throws(Problem) {
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        let path = text[..<mark]
        let query = text[mark...].dropFirst()
        reader = store.reader
        self.path = text
        self.tagVersion = tagVersion
        let names = reader.moduleNames
        if let rest = Self.rest(of: path, behind: store.links.state), query.isEmpty,
            let pointer = JSONPointer(path: rest)
        {
            resource = .part(pointer)
            self.caller = caller
            let member = pointer.tokens.first.map { token in
                names.firstIndex { $0.isSame(as: token) }
            }
            let isNamed: @Sendable (Int) -> Bool = { member == nil || $0 == member }
            // The Core tracks changes for the session of a request, but an operator reads the
            // slices of all sessions.
            mayDependOn = names.isEmpty || caller.isOperator ? nil : isNamed
            return
        }
        guard let views = reader.views?.views,
            let rest = Self.rest(of: path, behind: store.links.views), rest.utf8.count > 1,
            let name = PercentEncoding.decode(rest.dropFirst()),
            let place = views.firstIndex(where: { $0.name.isSame(as: name) }),
            caller.identity?.role?.sees(view: name) != false
        else {
            throw .badQuery(
                "if-match-of",
                allowed: "the path of a view or a part of the state that you may read, such as "
                    + "\(store.links.state)/a/b"
            )
        }
        let view = views[place]
        let form = ViewQuery(of: view.name, view.parametersType, store.logger)
        let given = try Query(String(query), allowed: form.parameters)
        let (parameters, canonical) = try form.readParameters { given[$0] }
        let request = ViewRequest(place, named: view.name, parameters, canonical)
        resource = .view(reader.viewRequest(request, for: caller), view)
        self.caller = caller.withFullSight
        let isRead: @Sendable (Int) -> Bool = { view.readableMembers.contains($0) }
        mayDependOn = isRead
    }

    /// Returns the rest of a path behind `fixed`, including the slash at the beginning of the rest.
    /// Returns `nil` if the path does not begin with `fixed`.
    private static func rest(of path: Substring, behind fixed: String) -> String? {
        guard path.utf8.starts(with: fixed.utf8) else { return nil }
        let rest = path.utf8.dropFirst(fixed.utf8.count)
        guard rest.first ?? UInt8(ascii: "/") == UInt8(ascii: "/") else { return nil }
        return String(Substring(rest))
    }
}

extension ConditionSubject {
    /// Returns the condition that the Core checks first: no member that the resource depends on has
    /// changed since the client's version. If a comparison of members can't decide, or a quick
    /// search does not find the resource, the returned condition never holds. Then another thread
    /// calls ``conditionAfterComparison()``.
    func firstCondition(in workspace: JSONWorkspace) -> VersionCondition {
        guard let tagVersion, let mayDependOn, isQuicklyReadable(workspace) else {
            return VersionCondition(.max, .everyChange)
        }
        return VersionCondition(tagVersion, .stateMembers(mayDependOn))
    }

    private func isQuicklyReadable(_ workspace: JSONWorkspace) -> Bool {
        guard case .part(let pointer) = resource else { return true }
        return switch reader.state(for: caller).quickPart(at: pointer, workspace) {
        case .bytes, .node: true
        case .nowhere, .notQuick: false
        }
    }

    /// Compares the resource in the newest version and in the client's version. Returns a condition
    /// on the newest version if the resource is the same in both versions, and `nil` if the
    /// resource differs. Blocks while the disk is read and a view is made.
    ///
    /// - Throws: 503 if the client's version can't be read now, 500 if the view can't be made.
    func conditionAfterComparison() throws(Problem) -> VersionCondition? {
        let state = reader.state(for: caller)
        guard let tagVersion, tagVersion <= state.version, let now = try bytes(of: state) else {
            return nil
        }
        if tagVersion < state.version {
            guard let past = try pastState(of: tagVersion), let then = try bytes(of: past),
                now == then
            else {
                return nil
            }
        }
        return VersionCondition(
            state.version,
            mayDependOn.map { .stateMembers($0) } ?? .everyChange
        )
    }

    /// Returns the state of the client's version; `nil` if history no longer has it.
    private func pastState(of version: UInt64) throws(Problem) -> VisibleState? {
        do {
            return try reader.state(at: version, for: caller)
        } catch {
            guard error.slug == .gone || error.slug == .notFound else { throw error }
            return nil
        }
    }

    private func bytes(of state: VisibleState) throws(Problem) -> Bytes? {
        switch resource {
        case .part(let pointer): return state.part(at: pointer)
        case .view(let request, let view):
            guard let views = reader.views else { return nil }
            do {
                return try state.viewBytes(of: request, by: views) ?? Bytes(utf8: "null")
            } catch {
                throw .viewFailed(view.name)
            }
        }
    }
}
