// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Todo",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Todo",
            dependencies: [
                .product(name: "StorePatterns", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ]
        ),
        .testTarget(
            name: "TodoTests",
            dependencies: ["Todo", .product(name: "StoreTesting", package: "StoreServer")]
        ),
    ]
)
