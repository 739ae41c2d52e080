/// Modules whose slices may have changed, by their places in ``RootState/modules``, and who sees
/// something of the actions.
package final class TouchedModules: @unchecked Sendable {
    // Safety: belongs to the Core's thread.

    /// Whether sessions see different things.
    private let hasSessions: Bool
    @exclusivity(unchecked) private var touched: Set<Int> = []
    /// What was noted last; the next is often the same.
    @exclusivity(unchecked) private var last: Int?
    @exclusivity(unchecked) private var audience = VersionAudience.sessions([])

    package init(hasSessions: Bool = false) {
        self.hasSessions = hasSessions
    }

    /// What an action of a session has done.
    package func insert(_ change: Change, from session: String?) {
        change.touches.forEach { touch in
            if last == touch.module { return }
            last = touch.module
            touched.insert(touch.module)
        }
        guard hasSessions else { return }
        guard change.isOfSession else { return audience = .everybody }
        audience.insert(session ?? SessionName.shared)
        change.touches.forEach { touch in
            if let owner = touch.key.session { audience.insert(owner) }
        }
    }

    /// Modules whose slices may be others.
    package func insert(_ modules: Range<Int>) {
        touched.formUnion(modules)
        last = nil
    }

    /// Returns them in order, and forgets them.
    package func take() -> [Int] {
        last = nil
        if touched.count == 0 { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched.sorted()
    }

    /// Returns who sees something of the actions since the last time.
    package func takeAudience() -> VersionAudience {
        guard hasSessions else { return .everybody }
        defer { audience = .sessions([]) }
        return audience
    }
}

/// Who sees something of a version besides its number.
package enum VersionAudience: Sendable, Equatable {
    case everybody
    /// These sessions; what others see is as it was.
    case sessions(Set<ExactText>)

    package mutating func insert(_ session: String) {
        guard case .sessions(var sessions) = self else { return }
        self = .sessions([])
        sessions.insert(ExactText(session))
        self = .sessions(sessions)
    }

    /// Those of both.
    package func union(_ other: VersionAudience) -> VersionAudience {
        guard case .sessions(let mine) = self, case .sessions(let theirs) = other else {
            return .everybody
        }
        return .sessions(mine.union(theirs))
    }
}
