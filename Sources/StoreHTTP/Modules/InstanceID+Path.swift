import StoreActionCatalog
import StoreWire

extension InstanceID {
    /// The parameter `{id}` of a path.
    static let parameter = Parameter.path("id", "The instance's id.")

    /// Returns the id in the path of a request. `index` is its place among the path's parameters.
    ///
    /// - Throws: 404 for an id that no instance can have, 400 if it is badly encoded.
    static func read(_ request: RequestContext, _ index: Int = 0) throws(Problem) -> String {
        let id = try request.path(index)
        guard 1...bytesMax ~= id.utf8.count else { throw request.notFound }
        return id
    }
}
