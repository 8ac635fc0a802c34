-- How far the received Pix of each institution have been listed. Shared, like institutions.
create table received_polls (
  institution_id uuid primary key references institutions,
  -- Every Pix that the PSP showed up to here has been booked.
  covered_until timestamptz not null,
  next_at timestamptz not null
);
