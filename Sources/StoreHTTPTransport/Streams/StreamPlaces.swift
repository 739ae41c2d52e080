import Synchronization

/// A bound on the streams of several writers together. Any thread.
package final class StreamPlaces: Sendable {
    /// The most streams that are open at a time.
    package let streamsMax: Int
    private let taken = Atomic(0)

    package init(streamsMax: Int) {
        self.streamsMax = streamsMax
    }

    /// The number of taken places.
    package var open: Int { taken.load(ordering: .relaxed) }

    /// Takes a place. Returns `false` if all places are taken.
    func take() -> Bool {
        guard taken.add(1, ordering: .relaxed).oldValue < streamsMax else {
            giveBack()
            return false
        }
        return true
    }

    /// Gives back a place that was taken.
    func giveBack() {
        taken.subtract(1, ordering: .relaxed)
    }
}
