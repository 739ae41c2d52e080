package import StoreJSON

/// The members of an action's JSON object that a dispatch reads, found in one pass.
///
/// This struct stores the index of each member's value in the document, because copying five
/// optional nodes would delay each dispatch.
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
    /// The name of the sender's own stream.
    package var emitter: JSONNode? { value(at: emitterPlace) }

    /// Finds the members. A value that is no object has no members.
    package init(_ node: JSONNode) {
        self.node = node
        var members = JSONMemberWalk(over: node)
        while members.advance() {
            if members.isNamed("type") {
                typePlace = members.valueIndex
            } else if members.isNamed("payload") {
                payloadPlace = members.valueIndex
            } else if members.isNamed("meta") {
                metaPlace = members.valueIndex
            } else if members.isNamed("recipients") {
                recipientsPlace = members.valueIndex
            } else if members.isNamed("emitter") {
                emitterPlace = members.valueIndex
            }
        }
    }

    /// Returns the value at an index of the document; `nil` for the index 0, which stands for a
    /// missing member.
    @inline(__always)
    private func value(at place: Int) -> JSONNode? {
        place > 0 ? node.nodeOfSameDocument(at: place) : nil
    }
}
