/// All that follows from one action that was reduced. It waits in the batch until the commit, and
/// is dropped whole where the envelope is refused, was a dry run, or can't be made durable.
struct Step {
    /// The action, as it was reduced.
    let member: ReducedMember
    /// When it was stamped, in nanoseconds since 1970.
    let time: Int64
    /// What it did to the state.
    let change: Change
    /// How long the reducer took; zero where it is not measured.
    let nanoseconds: UInt64
    /// The work outside the Core that follows, which begins after the commit.
    let effect: PendingEffect?
    /// What middleware and interceptors asked to have called after the commit.
    var released: [@Sendable () -> Void]
    /// The state owner keeps the states of a batch in a row: this is the place of the state before
    /// the action, and the next place has the state that it led to. `nil` where nothing is shown
    /// single states, so none are kept.
    let kept: Int?

    var envelope: Envelope { member.envelope }
}

/// One reduced action: a member of an envelope, or an action that an interceptor has put in its
/// place or after it.
///
/// It points into the envelope, because to copy the name, the payload and the meta of each action
/// costs more than to reduce it.
struct ReducedMember {
    /// An action that an interceptor made, so no envelope has it.
    final class Replacement: Sendable {
        let member: EnvelopeMember

        init(_ member: EnvelopeMember) { self.member = member }
    }

    let envelope: Envelope
    /// The index of the member in ``Envelope/members``.
    let place: Int
    /// What is reduced instead of that member.
    var replacement: Replacement?

    var action: any Action { replacement?.member.action ?? envelope.members[place].action }
    var type: String { replacement?.member.type ?? envelope.members[place].type }
    /// The number of its type; -1 where the program does not declare it.
    var number: Int { replacement?.member.number ?? envelope.members[place].number }
    /// The wire name without an instance.
    var kind: String { replacement?.member.kind ?? envelope.members[place].kind }
    var payload: [UInt8] { replacement?.member.payload ?? envelope.members[place].payload }
    var meta: [UInt8]? {
        replacement == nil ? envelope.members[place].meta : replacement?.member.meta
    }
}
