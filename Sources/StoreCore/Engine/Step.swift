/// All that follows from one action. It waits in the batch until the commit, and is dropped whole
/// where the envelope is refused, was a dry run, or can't be made durable.
struct Step {
    /// The action, as it was reduced.
    let member: ReducedMember
    /// When it was stamped, in nanoseconds since 1970.
    let time: Int64
    /// What it did to the state.
    let change: Change
    /// How long the reducer took; zero where it is not measured.
    let nanoseconds: UInt64
    /// What is to be done outside of the Core.
    let effect: PendingEffect?
    /// What middleware and interceptors have left to be done after the commit.
    var released: [@Sendable () -> Void]
    /// The place of the state before it among those that are kept; the one behind it is the state
    /// that it led to. `nil` where no observer looks at single states.
    let kept: Int?

    var envelope: Envelope { member.envelope }
}

/// An action of an envelope, or what an interceptor has put in its place or behind it.
///
/// Points to where it lies: a copy of all that it has would cost each action more than to reduce
/// it.
struct ReducedMember {
    /// An action that came with no envelope.
    final class Replacement: Sendable {
        let member: EnvelopeMember

        init(_ member: EnvelopeMember) { self.member = member }
    }

    let envelope: Envelope
    let place: Int
    var replacement: Replacement?

    var action: any Action { replacement?.member.action ?? envelope.members[place].action }
    var type: String { replacement?.member.type ?? envelope.members[place].type }
    var payload: [UInt8] { replacement?.member.payload ?? envelope.members[place].payload }
    var meta: [UInt8]? {
        replacement == nil ? envelope.members[place].meta : replacement?.member.meta
    }
}

/// A slice that an action has written.
package struct Touch: Sendable, Hashable {
    /// The module's place in ``RootState/modules``.
    package let module: Int
    /// The instance; `nil` where the module has none, or all may have changed.
    package let instance: ExactText?

    package init(_ module: Int, _ instance: ExactText? = nil) {
        self.module = module
        self.instance = instance
    }
}

/// Slices, each once. Most actions write one, which takes no memory of its own here.
package struct Touches: Sendable, Sequence {
    private var first: Touch?
    private var more: [Touch] = []

    package init() {}

    package mutating func insert(_ touch: Touch) {
        guard let first else {
            self.first = touch
            return
        }
        if first != touch, !more.contains(touch) { more.append(touch) }
    }

    @inline(__always)
    package func forEach(_ body: (Touch) -> Void) {
        guard let first else { return }
        body(first)
        if more.count > 0 { more.forEach(body) }
    }

    package func makeIterator() -> Array<Touch>.Iterator {
        (first.map { [$0] + more } ?? []).makeIterator()
    }
}

/// What an action has done to a state.
package struct Change: Sendable {
    /// Whether the state has other bytes than before.
    package var isChange: Bool
    /// The slices that are not as they were, where the state is made of modules.
    package var touches: Touches
    /// The module that was started although it was started already, by its place.
    package var restarted: Int?

    package init(isChange: Bool, touches: Touches = Touches(), restarted: Int? = nil) {
        self.isChange = isChange
        self.touches = touches
        self.restarted = restarted
    }

    /// Adds a slice, once.
    mutating func touch(_ touch: Touch) { touches.insert(touch) }

    /// Nothing has changed.
    package static let none = Change(isChange: false)
}
