/// An instance's id, compared by its bytes.
package typealias InstanceKey = ExactText

extension InstanceKey {
    package var id: String { text }
}
