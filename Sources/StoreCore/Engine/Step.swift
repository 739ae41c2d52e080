/// All that follows from one action. It waits in the batch until the commit, and is dropped whole where
/// the envelope is refused, was a dry run, or can't be made durable.
struct Step {
    /// The envelope that the action came with.
    let envelope: Envelope
    /// The action, as it was reduced: an interceptor may have put it in another one's place.
    let member: EnvelopeMember
    /// When it was stamped, in nanoseconds since 1970.
    let time: Int64
    /// What it did to the state.
    let change: Change
    /// How long the reducer took; zero where no port wants to know.
    let duration: Duration
    /// What is to be done outside of the Core.
    let effect: PendingEffect?
    /// What middleware and interceptors want done after the commit.
    var released: [@Sendable () -> Void]
    /// The place of the state before it among those that are kept; the one behind it is the state that it
    /// led to. `nil` where nobody looks at single states.
    let kept: Int?
}

/// A slice that an action has written.
package struct Touch: Sendable, Hashable {
    /// The module's place in ``RootState/modules``.
    package let module: Int
    /// The instance; `nil` where the module has none, or all may have changed.
    package let instance: InstanceKey?

    package init(_ module: Int, _ instance: InstanceKey? = nil) {
        self.module = module
        self.instance = instance
    }
}

/// What an action has done to a state.
package struct Change: Sendable {
    /// Whether the state has other bytes than before.
    package var isChange: Bool
    /// The slices that are not as they were, where the state is made of modules.
    package var touches: [Touch]
    /// The module that was started although it was started already, by its place.
    package var restarted: Int?

    package init(isChange: Bool, touches: [Touch] = [], restarted: Int? = nil) {
        self.isChange = isChange
        self.touches = touches
        self.restarted = restarted
    }

    /// Adds a slice, once.
    mutating func touch(_ touch: Touch) {
        if touches.count == 0 || !touches.contains(touch) { touches.append(touch) }
    }

    /// Nothing has changed.
    package static let none = Change(isChange: false)
}
