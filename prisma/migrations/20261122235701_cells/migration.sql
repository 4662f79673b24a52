-- CreateTable
CREATE TABLE "cell" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "number" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "cell_pkey" PRIMARY KEY ("id")
);
