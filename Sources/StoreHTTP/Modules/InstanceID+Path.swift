import StoreActionCatalog
import StoreWire

extension InstanceID {
    /// The id in a path, `{id}`.
    static let parameter = Parameter.path("id", "The instance's id.")

    /// The id in the path of a request, by its place among the parameters.
    ///
    /// - Throws: 404 for one that no instance can have, 400 where it is badly encoded.
    static func read(_ request: RequestContext, _ index: Int = 0) throws(Problem) -> String {
        let id = try request.path(index)
        guard 1...bytesMax ~= id.utf8.count else { throw request.notFound }
        return id
    }
}
