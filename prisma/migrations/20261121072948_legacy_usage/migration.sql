-- CreateTable
CREATE TABLE "legacy_usage" (
    "id" BIGSERIAL NOT NULL,
    "domain_id" INTEGER,
    "day" DATE NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "client" TEXT NOT NULL,
    "parameter" TEXT NOT NULL,
    "hits" BIGINT NOT NULL,
    "last_seen" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "legacy_usage_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "legacy_usage_day_idx" ON "legacy_usage"("day");

-- AddForeignKey
ALTER TABLE "legacy_usage" ADD CONSTRAINT "legacy_usage_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One row for each name on a day; "no domain" is one domain here.
CREATE UNIQUE INDEX "legacy_usage_key" ON "legacy_usage"((coalesce("domain_id", 0)), "day", "path", "method", "client", "parameter");
