package import StorePlatform

/// The time that encoding the state takes, by module. Each slice that may have changed is encoded,
/// so its size adds to the cost of an action, outside the reducer. The Core's thread measures; any
/// thread may read.
package final class EncodeTimes: Sendable {
    /// The name under which a state without modules is measured.
    package static let whole = "state"

    private let modules: [String]
    private let times: [Histogram]

    /// - Parameter modules: the names of the modules, in their order. Without names, the state is
    ///   measured whole.
    package init(_ modules: [String]) {
        self.modules = modules.isEmpty ? [Self.whole] : modules
        times = self.modules.map { _ in Histogram() }
    }

    /// Adds one encoding of a module's slice. `began` and `ended` are nanoseconds of the steady
    /// clock.
    func observe(_ module: Int, from began: UInt64, to ended: UInt64) {
        guard module < times.count else { return }
        times[module].observe(ended &- began)
    }

    /// The times of each module that was encoded. Any thread.
    package var all: [(module: String, times: Distribution)] {
        zip(modules, times).map { ($0, $1.distribution) }.filter { $0.times.count > 0 }
    }
}
