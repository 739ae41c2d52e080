// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Kanban",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Kanban",
            dependencies: [
                .product(name: "StoreHTTPClient", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ]
        ),
        .testTarget(
            name: "KanbanTests",
            dependencies: [
                "Kanban",
                .product(name: "StoreHTTPClient", package: "StoreServer"),
                .product(name: "StoreTesting", package: "StoreServer"),
            ]
        ),
    ]
)
