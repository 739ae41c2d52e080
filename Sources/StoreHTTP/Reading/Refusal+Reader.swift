package import StoreCore

extension Refusal {
    /// The text that a client gets in place of a reason that it may not read.
    package static let unreadableReason = "The store refuses this."
}
