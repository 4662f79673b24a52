-- CreateTable
CREATE TABLE "leadership_category" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "leadership_category_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leadership_legend" (
    "id" SERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "legend_type_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL,

    CONSTRAINT "leadership_legend_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_legend" (
    "feed_key" BIGINT NOT NULL,
    "legend_id" INTEGER NOT NULL,

    CONSTRAINT "feed_legend_pkey" PRIMARY KEY ("feed_key")
);

-- CreateTable
CREATE TABLE "calendar_note" (
    "notes_id" BIGSERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "day" CHAR(8) NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "calendar_note_pkey" PRIMARY KEY ("notes_id")
);

-- CreateTable
CREATE TABLE "monthly_note" (
    "notes_id" BIGSERIAL NOT NULL,
    "domain_id" INTEGER NOT NULL,
    "user_id" INTEGER,
    "month" CHAR(6) NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "monthly_note_pkey" PRIMARY KEY ("notes_id")
);

-- CreateTable
CREATE TABLE "calendar_subscription" (
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "filter" JSONB NOT NULL,
    "time_zone" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "calendar_subscription_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "leadership_category_domain_id_name_key" ON "leadership_category"("domain_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "leadership_legend_domain_id_name_key" ON "leadership_legend"("domain_id", "name");

-- CreateIndex
CREATE INDEX "feed_legend_legend_id_idx" ON "feed_legend"("legend_id");

-- CreateIndex
CREATE INDEX "calendar_note_user_id_day_idx" ON "calendar_note"("user_id", "day");

-- CreateIndex
CREATE INDEX "monthly_note_domain_id_month_idx" ON "monthly_note"("domain_id", "month");

-- CreateIndex
CREATE UNIQUE INDEX "calendar_subscription_token_hash_key" ON "calendar_subscription"("token_hash");

-- CreateIndex
CREATE INDEX "calendar_subscription_user_id_idx" ON "calendar_subscription"("user_id");

-- AddForeignKey
ALTER TABLE "leadership_category" ADD CONSTRAINT "leadership_category_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leadership_legend" ADD CONSTRAINT "leadership_legend_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_legend" ADD CONSTRAINT "feed_legend_feed_key_fkey" FOREIGN KEY ("feed_key") REFERENCES "feed"("feed_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feed_legend" ADD CONSTRAINT "feed_legend_legend_id_fkey" FOREIGN KEY ("legend_id") REFERENCES "leadership_legend"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calendar_note" ADD CONSTRAINT "calendar_note_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "monthly_note" ADD CONSTRAINT "monthly_note_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "monthly_note" ADD CONSTRAINT "monthly_note_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calendar_subscription" ADD CONSTRAINT "calendar_subscription_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema can't say.
ALTER TABLE "calendar_note" ADD CONSTRAINT "calendar_note_day_check" CHECK ("day" ~ '^\d{8}$');
ALTER TABLE "monthly_note" ADD CONSTRAINT "monthly_note_month_check" CHECK ("month" ~ '^\d{4}(0[1-9]|1[0-2])$');
