-- CreateTable
CREATE TABLE "api_customer" (
    "customer_id" TEXT NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_customer_pkey" PRIMARY KEY ("customer_id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "customer_id" TEXT NOT NULL,
    "prefix" CHAR(8) NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "task_template" (
    "id" UUID NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "customer_id" TEXT,
    "title" TEXT NOT NULL,
    "title_fold" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "task_template_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "external_task" (
    "id" UUID NOT NULL,
    "feed_key" BIGINT NOT NULL,
    "customer_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "priority" TEXT NOT NULL,
    "assigned_to" TEXT,
    "assigned_group" TEXT,
    "created_by" TEXT,
    "executed_by" TEXT,
    "store_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "external_task_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "scope" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "answer" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("scope","operation","key")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" BIGSERIAL NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_limit" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "api_customer_domain_id_idx" ON "api_customer"("domain_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_key_hash_key" ON "api_key"("key_hash");

-- CreateIndex
CREATE INDEX "api_key_prefix_idx" ON "api_key"("prefix");

-- CreateIndex
CREATE INDEX "api_key_customer_id_idx" ON "api_key"("customer_id");

-- CreateIndex
CREATE INDEX "task_template_domain_id_title_fold_id_idx" ON "task_template"("domain_id", "title_fold", "id");

-- CreateIndex
CREATE UNIQUE INDEX "task_template_title_key" ON "task_template"("domain_id", "customer_id", "title_fold") NULLS NOT DISTINCT;

-- CreateIndex
CREATE UNIQUE INDEX "external_task_feed_key_key" ON "external_task"("feed_key");

-- CreateIndex
CREATE INDEX "external_task_customer_id_idx" ON "external_task"("customer_id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE INDEX "audit_log_at_idx" ON "audit_log"("at");

-- CreateIndex
CREATE INDEX "rate_limit_expire_idx" ON "rate_limit"("expire");

-- AddForeignKey
ALTER TABLE "api_customer" ADD CONSTRAINT "api_customer_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_customer_id_fkey" FOREIGN KEY ("customer_id") REFERENCES "api_customer"("customer_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_template" ADD CONSTRAINT "task_template_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_template" ADD CONSTRAINT "task_template_customer_id_fkey" FOREIGN KEY ("customer_id") REFERENCES "api_customer"("customer_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_task" ADD CONSTRAINT "external_task_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "external_task" ADD CONSTRAINT "external_task_customer_id_fkey" FOREIGN KEY ("customer_id") REFERENCES "api_customer"("customer_id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What Prisma's schema can't say: checks, and the open external feeds, of which there are few, by expiry and by age.

ALTER TABLE "api_customer" ADD CONSTRAINT "api_customer_id_check" CHECK ("customer_id" ~ '^[A-Za-z0-9._-]{1,64}$');
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_hash_check" CHECK (octet_length("key_hash") = 32);
ALTER TABLE "external_task" ADD CONSTRAINT "external_task_priority_check" CHECK ("priority" IN ('HIGH', 'MEDIUM', 'LOW'));

CREATE INDEX "feed_external_expiry" ON "feed" ("end_at")
  WHERE "feed_type" = 'EXTERNAL' AND "status" IN ('N', 'R', 'P', 'O') AND "deleted_at" IS NULL;
CREATE INDEX "feed_external_open" ON "feed" ("domain_id", "feed_key")
  WHERE "feed_type" = 'EXTERNAL' AND "status" IN ('N', 'R', 'P', 'O') AND "deleted_at" IS NULL;
