import StoreCore

/// The methods of a store's use cases, by their paths.
struct UseCaseCall: Sendable {
    typealias Begin = @Sendable (any Codable & Sendable, String?) async throws -> Void

    private var methods: [String: Begin] = [:]

    /// None, of a store that could not be made.
    init() {}

    init<Root: RootState>(_ modules: Root.Modules, _ core: Core<Root>) {
        for mount in modules {
            for useCase in mount.slice.useCases {
                methods[useCase.path] = { input, instance in
                    let address = SliceAddress(module: mount.name, instance: instance)
                    try await withCheckedThrowingContinuation { continuation in
                        core.begin(useCase, input, at: address, watch: nil) { begun in
                            continuation.resume(with: begun)
                        }
                    }
                }
            }
        }
    }

    var paths: [String] { methods.keys.sorted() }

    subscript(path: String) -> Begin? { methods[path] }
}
