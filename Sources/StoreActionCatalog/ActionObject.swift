package import StoreJSON

/// The members of an action's JSON object that a dispatch reads, found in one pass.
///
/// Members are stored as places, because five optional nodes would cost each dispatch a copy.
package struct ActionObject {
    package let node: JSONNode
    private var typePlace = 0
    private var payloadPlace = 0
    private var metaPlace = 0
    private var recipientsPlace = 0
    private var emitterPlace = 0

    package var type: JSONNode? { value(at: typePlace) }
    package var payload: JSONNode? { value(at: payloadPlace) }
    package var meta: JSONNode? { value(at: metaPlace) }
    /// The streams that get the event for the change.
    package var recipients: JSONNode? { value(at: recipientsPlace) }
    /// The name of the stream that belongs to the sender.
    package var emitter: JSONNode? { value(at: emitterPlace) }

    /// Finds the members. A value that is no object has none.
    package init(_ node: JSONNode) {
        self.node = node
        var members = JSONMemberWalk(over: node)
        while members.next() {
            if members.isNamed("type") {
                typePlace = members.place
            } else if members.isNamed("payload") {
                payloadPlace = members.place
            } else if members.isNamed("meta") {
                metaPlace = members.place
            } else if members.isNamed("recipients") {
                recipientsPlace = members.place
            } else if members.isNamed("emitter") {
                emitterPlace = members.place
            }
        }
    }

    /// Returns the value at a place; `nil` for the place 0, which no member has.
    @inline(__always)
    private func value(at place: Int) -> JSONNode? { place > 0 ? node.value(at: place) : nil }
}
