/// What an action has done to the state. After the commit, it decides which parts of the state are
/// encoded, sent and shown to observers.
package struct Change: Sendable {
    /// Whether the state has other bytes than before.
    package var isChange: Bool
    /// The slices that are not as they were, or were started anew, where the state is made of
    /// modules.
    package var touches: Touches
    /// Whether the action is its session's alone, so that others see nothing of it but a version
    /// number: it is for no slice of what is shared.
    package var isOfSession = false

    package init(
        isChange: Bool,
        touches: Touches = Touches(),
        isOfSession: Bool = false
    ) {
        self.isChange = isChange
        self.touches = touches
        self.isOfSession = isOfSession
    }

    /// Adds a slice, once.
    mutating func touch(_ touch: Touch) { touches.insert(touch) }

    /// Nothing has changed.
    package static let none = Change(isChange: false)
}

/// A slice that an action has written.
package struct Touch: Sendable, Hashable {
    /// The module's place in ``RootState/modules``.
    package let module: Int
    /// Which slice. Without a session or an instance where the module has these, all may have
    /// changed.
    package let key: SliceKey
    /// Whether it has other bytes than before.
    package fileprivate(set) var isChange: Bool
    /// Whether it was started although it was there already.
    package fileprivate(set) var isRestart: Bool

    package init(
        _ module: Int,
        _ key: SliceKey = .only,
        isChange: Bool = true,
        isRestart: Bool = false
    ) {
        self.module = module
        self.key = key
        self.isChange = isChange
        self.isRestart = isRestart
    }

    /// Whether both are about one slice.
    fileprivate func isSameSlice(as other: Touch) -> Bool {
        module == other.module && key == other.key
    }

    fileprivate mutating func merge(_ other: Touch) {
        if other.isChange { isChange = true }
        if other.isRestart { isRestart = true }
    }
}

/// A set of slices. Most actions write one slice, so the first is stored in place, without an
/// allocation.
package struct Touches: Sendable, Sequence {
    private var first: Touch?
    private var more: [Touch] = []

    package init() {}

    package mutating func insert(_ touch: Touch) {
        guard let first else {
            self.first = touch
            return
        }
        if first.isSameSlice(as: touch) {
            self.first?.merge(touch)
        } else if let place = more.firstIndex(where: touch.isSameSlice) {
            more[place].merge(touch)
        } else {
            more.append(touch)
        }
    }

    @inline(__always)
    package func forEach(_ body: (Touch) -> Void) {
        guard let first else { return }
        body(first)
        if more.count > 0 { more.forEach(body) }
    }

    /// Whether a slice of one of these modules has changed. Copies no touch.
    @inline(__always)
    func hasChange(where sees: (Int) -> Bool) -> Bool {
        if first?.isChange == true, let module = first?.module, sees(module) { return true }
        return more.count > 0 && more.contains { $0.isChange && sees($0.module) }
    }

    package func makeIterator() -> Array<Touch>.Iterator {
        (first.map { [$0] + more } ?? []).makeIterator()
    }
}
