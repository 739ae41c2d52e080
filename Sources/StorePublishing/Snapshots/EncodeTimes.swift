package import StorePlatform

/// How long encoding the state took, by module: each slice that may have changed is encoded whole,
/// so its size is a cost of an action that no reducer shows. The Core's thread measures; any thread
/// may read.
package final class EncodeTimes: Sendable {
    /// The name of a state without modules.
    package static let whole = "state"

    private let modules: [String]
    private let times: [Histogram]

    /// - Parameter modules: the names of the modules, in their order; of none, the state is
    ///   measured whole.
    package init(_ modules: [String]) {
        self.modules = modules.isEmpty ? [Self.whole] : modules
        times = self.modules.map { _ in Histogram() }
    }

    /// Adds what encoding took that began and ended then, in nanoseconds of the steady clock.
    func observe(_ module: Int, from began: UInt64, to ended: UInt64) {
        guard module < times.count else { return }
        times[module].observe(ended &- began)
    }

    /// What was measured of each module that was encoded. Any thread.
    package var all: [(module: String, times: Distribution)] {
        zip(modules, times).map { ($0, $1.distribution) }.filter { $0.times.count > 0 }
    }
}
