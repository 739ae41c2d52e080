import EventStream
import Wire

extension Query {
    /// What the events of a stream are to carry.
    func mode() throws(Problem) -> StreamMode {
        guard let text = self["mode"] else { return .snapshot }
        guard let mode = StreamMode(rawValue: text) else {
            throw .badQuery("mode", allowed: "snapshot or patch")
        }
        return mode
    }
}
