package import StoreJSON

/// The members of an action's JSON object that a dispatch reads, found in one pass.
///
/// This struct stores indices of values in the document, not the values themselves. Copying five
/// optional nodes would delay each dispatch.
package struct ActionObject {
    package let node: JSONNode
    private var typeNodeIndex = 0
    private var payloadNodeIndex = 0
    private var metaNodeIndex = 0
    private var recipientsNodeIndex = 0
    private var emitterNodeIndex = 0

    package var type: JSONNode? { value(at: typeNodeIndex) }
    package var payload: JSONNode? { value(at: payloadNodeIndex) }
    package var meta: JSONNode? { value(at: metaNodeIndex) }
    /// The streams that get the event for the change.
    package var recipients: JSONNode? { value(at: recipientsNodeIndex) }
    /// The name of the sender's own stream.
    package var emitter: JSONNode? { value(at: emitterNodeIndex) }

    /// Finds the members. A value that is no object has no members.
    package init(_ node: JSONNode) {
        self.node = node
        var members = JSONMemberWalk(over: node)
        while members.advance() {
            if members.isNamed("type") {
                typeNodeIndex = members.valueIndex
            } else if members.isNamed("payload") {
                payloadNodeIndex = members.valueIndex
            } else if members.isNamed("meta") {
                metaNodeIndex = members.valueIndex
            } else if members.isNamed("recipients") {
                recipientsNodeIndex = members.valueIndex
            } else if members.isNamed("emitter") {
                emitterNodeIndex = members.valueIndex
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
